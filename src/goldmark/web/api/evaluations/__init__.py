"""What comes of it, for programs: results, datasets, studies, leaderboards."""
