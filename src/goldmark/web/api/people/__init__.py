"""The people of a campaign for programs: who they are, how they were trained, how they do, what they are paid."""

from goldmark.web.api.people import annotators, crowd, participants, pay, quality, training

ROUTERS = (annotators.router, training.router, participants.router, quality.router, pay.router, crowd.router)
