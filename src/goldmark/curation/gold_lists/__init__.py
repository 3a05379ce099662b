"""Gold lists: frozen versions, files, and lists that were made elsewhere."""
