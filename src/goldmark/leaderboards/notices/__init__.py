"""What happens on a board is told to those who asked: a web hook, or mail."""
