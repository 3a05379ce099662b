"""What a curator has before them, and the steps they take on it."""
