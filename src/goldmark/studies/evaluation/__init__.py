"""What a study found: exclusions, outcomes, the planned tests, conclusions, report."""
