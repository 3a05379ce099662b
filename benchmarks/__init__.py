"""Speed and memory, as ratios against a peer or a naive version in one run. `make bench` runs them all."""
