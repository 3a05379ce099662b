"""What reviewers say of responses: queue, verdicts, final spot check, status of every unit."""
