"""Campaigns that are made of other campaigns' answers."""
