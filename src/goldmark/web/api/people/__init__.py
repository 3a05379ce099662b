"""The people of a campaign for programs: who they are, how they learnt, how they do, what they are paid."""

from goldmark.web.api.people import annotators, learning, participants, pay, quality

ROUTERS = (annotators.router, learning.router, participants.router, quality.router, pay.router)
