"""From a table to a picture: first a description of marks at positions, then SVG, PNG or PDF of that description."""
