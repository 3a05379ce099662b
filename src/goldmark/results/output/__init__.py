"""Tables and pictures as people and programs want them: terminal, files, one page."""
