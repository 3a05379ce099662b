"""What teams hand in: submissions, their upload, their metrics."""
