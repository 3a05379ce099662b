"""Campaigns for programs: make, run and change them, their units and test questions, what goes out and comes in."""
