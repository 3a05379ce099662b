"""Test questions: units whose right answer is known."""
