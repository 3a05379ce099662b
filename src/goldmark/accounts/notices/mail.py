"""Mail by the server of whoever runs Goldmark: GOLDMARK_SMTP and GOLDMARK_MAIL_FROM say which and from whom.

And what people are told by it about their own accounts, as jobs: nobody waits for a mail server.
"""

from __future__ import annotations

import os
import smtplib
import ssl
from collections.abc import Mapping
from email.message import EmailMessage
from typing import Any
from urllib.parse import unquote, urlsplit

from sqlalchemy import Connection, select

from goldmark.accounts.notices.account_events import NOTICE, REMINDER, SENDER, SMTP, TOLD, mail_address, token_that_ends
from goldmark.errors import Failed
from goldmark.jobs import Running, TryAgain, register
from goldmark.store.tables import event

SECONDS = 20.0


class NoMailServer(Failed):
    code = "NOTICE-03"
    message = (
        "no mail was sent: set GOLDMARK_SMTP to a server such as smtp://user:password@mail.example.org:587 "
        "(or smtps://), and GOLDMARK_MAIL_FROM to an address to send from"
    )


class MailRefused(Failed):
    code = "NOTICE-04"
    message = "the mail server refused the mail to {to}: {why}"


def send(to: str, subject: str, text: str) -> None:
    """Send one mail. What may pass is tried again later; a refusal is not."""
    server, sender = os.environ.get(SMTP, ""), os.environ.get(SENDER, "")
    if not server or not sender:
        raise NoMailServer
    message = EmailMessage()
    # A title may have several lines, and a header has one.
    message["From"], message["To"], message["Subject"] = sender, to, " ".join(subject.split())
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(text)
    parts = urlsplit(server)
    host, secure = parts.hostname or "", parts.scheme == "smtps"
    try:
        with _server(host, parts.port or (465 if secure else 587), secure=secure) as smtp:
            if not secure and smtp.has_extn("starttls"):
                smtp.starttls(context=ssl.create_default_context())
                smtp.ehlo()
            if parts.username:
                smtp.login(unquote(parts.username), unquote(parts.password or ""))
            smtp.send_message(message)
    except (smtplib.SMTPRecipientsRefused, smtplib.SMTPSenderRefused, smtplib.SMTPAuthenticationError) as error:
        raise MailRefused(to=to, why=error) from error
    except (OSError, smtplib.SMTPException) as error:
        raise TryAgain(reason=f"the mail server {host} did not take the mail ({error})") from error


def _server(host: str, port: int, *, secure: bool) -> smtplib.SMTP:
    if secure:
        return smtplib.SMTP_SSL(host, port, timeout=SECONDS, context=ssl.create_default_context())
    smtp = smtplib.SMTP(host, port, timeout=SECONDS)
    smtp.ehlo()
    return smtp


@register(NOTICE)
def tell(running: Running) -> Mapping[str, Any]:
    """One thing that happened to an account, to its person."""

    def look(connection: Connection) -> tuple[str, Any]:
        found = connection.execute(select(event).where(event.c.id == int(running.arguments["event"]))).one()
        return mail_address(connection, found.subject), found

    to, found = running.store.read(look)
    if not to:
        return {"told": False}
    lines = [
        f"{TOLD[found.kind]}, {found.at:%Y-%m-%d %H:%M} UTC.",
        *(f"{name}: {' '.join(str(value).split())}" for name, value in found.facts.items()),
        *([f"by: {found.author}"] if found.author != found.subject else []),
        "",
        "Was it you, or somebody whom you asked? Then all is well. If not: change your password, look at where you",
        "are signed in and at your API tokens (all on your account page), and tell an owner of the server.",
    ]
    _send_about(to, TOLD[found.kind], lines)
    return {"told": True}


@register(REMINDER)
def remind(running: Running) -> Mapping[str, Any]:
    """An API token ends soon, unless it was revoked meanwhile."""

    def look(connection: Connection) -> tuple[str, Any]:
        found = token_that_ends(connection, int(running.arguments["token"]))
        return ("", None) if found is None else (mail_address(connection, found[0]), found)

    to, found = running.store.read(look)
    if not to:
        return {"told": False}
    _, token, ends = found
    lines = [
        f"Your API token {token!r} works until {ends:%Y-%m-%d %H:%M} UTC, and then no more.",
        "If a program still needs one, make a new token on your account page and give it to the program.",
    ]
    _send_about(to, "An API token of yours ends soon", lines)
    return {"told": True}


def _send_about(to: str, subject: str, lines: list[str]) -> None:
    public = os.environ.get("GOLDMARK_PUBLIC", "")
    why = f"You get this because your account{f' at {public}' if public else ''} is called {to}."
    send(to, f"Goldmark: {subject}", "\n".join([*lines, "", why, ""]))
