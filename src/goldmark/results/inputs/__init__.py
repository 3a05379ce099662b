"""What tables are made from: observations, groups and selections of them; files of one's own in `files`."""
