"""People who come from a platform: their sessions, from the door to handing in."""
