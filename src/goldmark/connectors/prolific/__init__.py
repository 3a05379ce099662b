"""People whom Prolific sends."""

from goldmark.connectors.connector import Connector

PROLIFIC = Connector("prolific", "Prolific", "PROLIFIC_PID", "{{%PROLIFIC_PID%}}")
