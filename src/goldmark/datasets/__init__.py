"""A campaign, or another tool's annotations, as a dataset that is released, with the benchmark tasks that it allows."""
