"""Files in, rows and units out."""
