"""Tools and campaigns of machine translation: error spans with severities, and scores of segments."""
