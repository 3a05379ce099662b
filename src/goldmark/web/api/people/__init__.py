"""The people of a campaign for programs: who they are, how they were trained, how they do, what they are paid."""
