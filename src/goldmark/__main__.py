"""`python -m goldmark` is the `goldmark` command."""

from goldmark.cli import main

main()
