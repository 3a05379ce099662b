"""Numbers in, numbers out: statistics that know nothing of campaigns."""
