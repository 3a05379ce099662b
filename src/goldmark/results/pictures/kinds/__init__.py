"""How each kind of picture is drawn."""
