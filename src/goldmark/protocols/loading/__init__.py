"""From a YAML file to plain data: reading, `extends`, wording of problems, the JSON Schema."""
