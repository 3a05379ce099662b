"""Records of which there may be too many to hold: they wait in a file."""
