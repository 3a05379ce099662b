"""Tables of what people preferred: two texts compared, strengths from it, and the best and worst of several."""
