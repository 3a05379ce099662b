"""The tables of the ACCURACY method: verifiers, and what sets of annotators find."""
