"""Texts made ready for a campaign: cut, freed of noise and copies, paired; prompts chosen and continued by a model."""
