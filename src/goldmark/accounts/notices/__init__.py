"""What happens to accounts, and who is told of it by mail."""
