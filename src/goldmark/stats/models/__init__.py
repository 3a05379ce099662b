"""Models of annotators: one label from many, and mixtures that find noisy people."""
