"""The web server: JSON API and pages over the same functions as the command line."""
