"""Reading the options of a metric, which come as words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from goldmark.metrics.plugins import WrongOption


def choice(name: str, options: Mapping[str, str], option: str, default: str, known: Sequence[str]) -> str:
    value = options.get(option, default)
    if value not in known:
        raise WrongOption(name=name, option=option, value=value, reason=f"it can be {', '.join(known)}")
    return value


def yes_or_no(name: str, options: Mapping[str, str], option: str, *, default: bool) -> bool:
    return choice(name, options, option, "yes" if default else "no", ("yes", "no")) == "yes"


def number(name: str, options: Mapping[str, str], option: str, default: int, *, least: int, most: int = 1000) -> int:
    value = options.get(option, str(default))
    if not value.isdecimal() or not least <= int(value) <= most:
        reason = f"it should be a whole number from {least} to {most}"
        raise WrongOption(name=name, option=option, value=value, reason=reason)
    return int(value)
