"""Long work: asked for in one transaction, done by a worker, resumed by another if that one dies."""

from goldmark.jobs.context import Running
from goldmark.jobs.queue import Job, TryAgain, enqueue
from goldmark.jobs.registry import register
from goldmark.jobs.worker import Worker

__all__ = ["Job", "Running", "TryAgain", "Worker", "enqueue", "register"]
