"""The tables of GENIE: which design of an evaluation is steadiest."""
