"""The people of a campaign on pages: who they are, how they learnt, how they do, what they are paid."""

from goldmark.web.pages.people import learning, participants, pay, people, quality

ROUTERS = (people.router, learning.router, quality.router, pay.router, participants.router)
