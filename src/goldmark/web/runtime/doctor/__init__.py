"""Finding what is wrong with an installation: what surrounds it, what its database says, and what to do about it."""
