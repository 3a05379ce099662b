"""People, texts and months that are programs, to test methods whose right answer is known."""
