"""People whom Amazon Mechanical Turk sends."""

from goldmark.connectors.connector import Connector

MTURK = Connector("mturk", "Amazon Mechanical Turk", "workerId", "...")
