"""Mail by the server of whoever runs Goldmark: GOLDMARK_SMTP and GOLDMARK_MAIL_FROM say which and from whom."""

from __future__ import annotations

import os
import smtplib
import ssl
from email.message import EmailMessage
from urllib.parse import unquote, urlsplit

from goldmark.errors import Failed
from goldmark.jobs import TryAgain

SMTP, SENDER = "GOLDMARK_SMTP", "GOLDMARK_MAIL_FROM"
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
    message["From"], message["To"], message["Subject"] = sender, to, subject
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
