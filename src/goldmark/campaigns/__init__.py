"""Campaigns: plan, allocate, lease, accept answers, show progress."""
