"""What is asked of a platform: the journal of orders, and carrying them out."""
