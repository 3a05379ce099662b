"""A Label Studio of its own, to send campaigns through: installed, started on loopback, asked by its API."""
