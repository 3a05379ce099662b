"""Commands on leaderboards, studies and datasets."""
