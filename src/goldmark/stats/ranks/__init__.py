"""Systems ranked by people's judgements."""
