"""The JSON API. It does all that the pages do."""
