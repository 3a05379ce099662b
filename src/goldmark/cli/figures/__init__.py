"""Commands that make figures of tidy files."""
