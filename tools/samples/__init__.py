"""How the sample campaigns and boards are made from what we wrote."""
