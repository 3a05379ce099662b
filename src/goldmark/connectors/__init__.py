"""How people reach a campaign: invite links, and crowd platforms."""
