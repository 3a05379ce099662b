"""The tables of TGEA: agreement and reviews stage by stage, and the statistics of a dataset."""
