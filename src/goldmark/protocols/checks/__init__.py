"""Is a protocol right? Everything wrong with it at once."""
