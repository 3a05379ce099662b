"""Characters into tokens and sentences, fixed once."""
