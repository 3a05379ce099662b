"""Texts and answers as a page shows them: in words, with marks, and what changed."""
