"""What a campaign is: its file, settings, texts, conditions, and the order of its units."""
