"""The people of a campaign on pages: who they are, how they were trained, how they do, what they are paid."""

from goldmark.web.pages.people import crowd, participants, pay, people, quality, training

ROUTERS = (people.router, training.router, quality.router, pay.router, participants.router, crowd.router)
