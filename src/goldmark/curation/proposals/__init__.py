"""From several people's marks to one proposed list: align, settle, propose."""
