"""When rounds open and are scored by themselves."""
