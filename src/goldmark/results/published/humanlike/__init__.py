"""The tables of HUMANLIKE: can people tell, and what their explanations are about."""
