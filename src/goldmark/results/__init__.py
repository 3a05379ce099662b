"""What a campaign found: observations become tables, tables become pictures, and both become a report."""
