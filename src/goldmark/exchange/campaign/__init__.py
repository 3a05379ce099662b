"""A whole campaign as files: ours, and those of tools that read campaigns."""
