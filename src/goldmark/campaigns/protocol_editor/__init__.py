"""A protocol changed field by field: what stands in its fields, and the text of the protocol after a change."""
