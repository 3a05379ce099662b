"""A campaign out of the database and into it: records, observations, answers made elsewhere."""
