"""From several people's marks to one gold list: align, propose, settle, verify."""
