"""Units handed out and answers taken back: strata, allocation, leases, responses."""
