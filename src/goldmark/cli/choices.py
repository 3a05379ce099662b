from goldmark.cli.options import Count, Flag, NamesAndValues, Probability, Seed, named, named_values

__all__ = ["Count", "Flag", "NamesAndValues", "Probability", "Seed", "named", "named_values"]
