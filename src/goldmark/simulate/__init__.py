"""Annotators that are programs, for rehearsals, studies of methods and load."""
