"""People whom anything else sends, by a link of its own for each."""

from goldmark.people.connector import Connector

LINK = Connector("link", "any other platform, or a list of your own", "participant", "...")
