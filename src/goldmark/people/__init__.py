"""Who annotates: annotators, participants across campaigns, invitations, exclusions, pay."""
