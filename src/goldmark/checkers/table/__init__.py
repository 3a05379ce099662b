"""A small checker for any table: numbers and names of a text that its table does not have."""
