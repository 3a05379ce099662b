"""Stand-ins for crowd platforms: small servers that speak their documented requests and are strict about them."""
