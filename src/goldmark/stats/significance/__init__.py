"""Is a difference more than chance, is there none that matters, and how many texts or people would show it?"""
