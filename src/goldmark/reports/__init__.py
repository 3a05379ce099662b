"""Tables and plots for people: terminal, CSV, LaTeX, JSON, and pictures."""
