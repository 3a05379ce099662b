"""People whom Prolific sends."""

from goldmark.people.connector import Connector

PROLIFIC = Connector("prolific", "Prolific", "PROLIFIC_PID", "{{%PROLIFIC_PID%}}")
