"""What annotators go through before they work: courses, attempts, qualification."""
