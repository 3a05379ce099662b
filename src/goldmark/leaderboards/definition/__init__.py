"""What a board is: its file, settings, items, teams."""
