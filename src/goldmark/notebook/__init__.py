"""What `import goldmark` offers: the figures of the commands from data frames, and a server from a notebook."""
