"""What a dataset says of itself: its data card, Croissant, statistics with their picture, and terms."""
