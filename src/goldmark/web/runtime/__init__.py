"""Running the server: its processes, the workers beside it, and one for a rehearsal."""
