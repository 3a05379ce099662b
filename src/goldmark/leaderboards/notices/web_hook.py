"""A message to an address that somebody typed in: never to a machine inside, never further than the address says.

A name is resolved once, every address behind it is looked at, and the connection is made to the very address that was
looked at, so that a name cannot mean another machine a moment later. Redirects are not followed. Whoever runs the
server may allow inner machines by name or network in GOLDMARK_HOOKS_ALLOW.
"""

from __future__ import annotations

import hashlib
import hmac
import http.client
import ipaddress
import os
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import urlsplit

from goldmark.errors import Failed
from goldmark.jobs import TryAgain

ALLOW = "GOLDMARK_HOOKS_ALLOW"
SECONDS = 10.0  # of waiting for the next bytes
MOST_SECONDS = 30.0  # of all: somebody who sends a letter at a time would keep a worker for days
MOST_READ = 1_000  # bytes of a reply, for the message of an error
OPEN_IPV6 = ipaddress.ip_network("2000::/3")
TRANSLATED = ipaddress.ip_network("64:ff9b::/96")  # to IPv4 on the way
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class HookRefused(Failed):
    code = "NOTICE-01"
    message = "the web hook {url} was not called: {why}"


class HookFailed(Failed):
    code = "NOTICE-02"
    message = "the web hook {url} answered {status}: {words}"


def call(url: str, body: bytes, *, event: str, secret: str = "") -> int:
    """Post a JSON body, signed if there is a secret. What may pass is tried again later; a refusal is not."""
    parts = urlsplit(url)
    host, secure = parts.hostname or "", parts.scheme == "https"
    headers = {"content-type": "application/json", "user-agent": "goldmark", "x-goldmark-event": event}
    if secret:
        headers["x-goldmark-signature"] = f"sha256={hmac.digest(secret.encode(), body, hashlib.sha256).hex()}"
    shown = f"{parts.scheme}://{parts.netloc}"  # the path of a hook is often its password
    try:
        port = parts.port or (443 if secure else 80)
        connection = http.client.HTTPConnection(host, port, timeout=SECONDS)
        plain = _connected(shown, host, port)
        same = plain.dup()
        late = threading.Timer(MOST_SECONDS, _hang_up, [same])
        late.daemon = True
        late.start()
        try:
            connection.sock = _secured(plain, host) if secure else plain
            path = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
            connection.request("POST", path, body, headers)
            reply = connection.getresponse()
            status, words = reply.status, reply.read(MOST_READ).decode(errors="replace").strip()
        finally:
            late.cancel()
            same.close()
            plain.close()
            connection.close()
    except (OSError, http.client.HTTPException) as error:
        raise TryAgain(reason=f"the web hook {shown} could not be reached ({error})") from error
    except ValueError as error:  # a port or letters that no address has
        raise HookRefused(url=shown, why=f"it is no address ({error})") from error
    if status >= 500 or status == 429:
        raise TryAgain(reason=str(HookFailed(url=shown, status=status, words=words[:200])))
    if not 200 <= status < 300:
        raise HookFailed(url=shown, status=status, words=words[:200] or "no words")
    return status


def _connected(shown: str, host: str, port: int) -> socket.socket:
    """A connection to one of the addresses behind a name, all of which may be called."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = [ipaddress.ip_address(one[4][0]) for one in found]
    for address in addresses:
        if _inner(address) and not _allowed(host, address):
            why = f"{address} is an inner address; whoever runs the server can allow it in {ALLOW}"
            raise HookRefused(url=shown, why=why)
    return socket.create_connection((str(addresses[0]), port), timeout=SECONDS)


def _secured(plain: socket.socket, host: str) -> socket.socket:
    return ssl.create_default_context().wrap_socket(plain, server_hostname=host)


def _hang_up(same: socket.socket) -> None:
    """Whoever waits for this connection hears at once that it has ended."""
    with suppress(OSError):  # it had ended already
        same.shutdown(socket.SHUT_RDWR)


def _inner(address: Address) -> bool:
    """Whether an address is not one of the open internet, in whatever way it is written."""
    if address.version == 6 and address not in OPEN_IPV6 and address not in TRANSLATED:
        return True  # also what Python does not know to be inside: ::127.0.0.1, fec0::1, 64:ff9b:1::1
    return any(not one.is_global or one.is_multicast for one in _meanings(address))


def _meanings(address: Address) -> Iterator[Address]:
    yield address
    if isinstance(address, ipaddress.IPv6Address):
        inside = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
        if address in TRANSLATED:
            inside.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
        yield from (one for one in inside if one is not None)


def _allowed(host: str, address: Address) -> bool:
    for words in os.environ.get(ALLOW, "").replace(",", " ").split():
        try:
            if address in ipaddress.ip_network(words, strict=False):
                return True
        except ValueError:
            if words.casefold() == host.casefold():
                return True
    return False
