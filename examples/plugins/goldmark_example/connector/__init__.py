"""A connector: people whom a university's pool of participants (SONA) sends."""

from __future__ import annotations

from goldmark.people.connector import Connector

SONA = Connector("sona", "SONA, a university's pool of participants", "survey_code", "%SURVEY_CODE%")
