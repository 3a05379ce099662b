"""Label Studio: a campaign as a project there, that project back, and projects that were made there."""
