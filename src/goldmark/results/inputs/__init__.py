"""What tables are made from: observations, files, groups and selections of them."""
