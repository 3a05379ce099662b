"""A whole campaign out and in again: formats that hold everything, and formats of other tools."""
