"""What a campaign is: its file, settings, conditions and protocols; its texts in `units`."""
