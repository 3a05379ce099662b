"""What came out: standings, correlations of metrics with people, drift."""
