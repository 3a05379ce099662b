"""Files in, texts out: readers, tokens, sentences, preparation. What was read never changes again."""
