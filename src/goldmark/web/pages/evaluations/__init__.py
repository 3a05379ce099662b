"""What comes of it, on pages: results, datasets, studies, leaderboards."""
