"""What tests and benchmarks need and nobody installs: how the samples are made, and simulations."""
