"""Programs that do what Goldmark does, installed in environments of their own, run, and asked for what they export."""
