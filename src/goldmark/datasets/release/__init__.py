"""What is released: selection, rows, splits, statistics, card, licence, checksums."""
