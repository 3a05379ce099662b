"""Commands on texts and questions, before there is a campaign."""
