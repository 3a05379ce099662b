"""The people of a campaign on pages: who they are, how they were trained, how they do, what they are paid."""
