"""People from crowd platforms: offers, arrivals that the platform confirms, payment, and a ledger of all of it."""
