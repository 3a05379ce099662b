"""How people reach a campaign: signed links, and platforms that send people by them, each in its own folder."""
