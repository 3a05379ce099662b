"""People whom Amazon Mechanical Turk sends."""

from goldmark.people.connector import Connector

MTURK = Connector("mturk", "Amazon Mechanical Turk", "workerId", "...")
