"""HTML pages. They call the same functions as the API."""
