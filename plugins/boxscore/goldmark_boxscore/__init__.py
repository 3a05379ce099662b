"""A checker of basketball summaries: reads a text into claims and tests them against box scores and schedules."""
