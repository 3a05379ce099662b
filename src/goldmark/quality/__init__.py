"""Who annotates well: consent, training, qualification, test questions, noisy annotators, exclusions."""
