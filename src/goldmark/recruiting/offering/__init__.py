"""Putting a campaign on a platform: what is offered, where, and for how long."""
