"""Where a dataset comes from: a campaign, a bundle, others' annotations."""
