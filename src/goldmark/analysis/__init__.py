"""The tables of the published methods: each a function from a tidy table to a finished one."""
