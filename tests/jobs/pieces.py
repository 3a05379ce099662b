"""What a piece of a job may do; here, so that a process that only does one loads nothing else."""

from __future__ import annotations

import os
import time


def square(number: int) -> int:
    return number * number


def stumble(number: int) -> int:
    if number == 3:
        raise ValueError("three")
    return number


def doze(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def die(number: int) -> int:
    os._exit(9)
