"""The files for proxies in deploy/ let through what Goldmark takes, and tell it what it has to know."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from goldmark.web.security_headers import LARGEST_UPLOAD

NGINX = Path(__file__).resolve().parents[2] / "deploy" / "nginx.conf"


def test_nginx_lets_the_largest_upload_through_and_says_who_asks() -> None:
    said = NGINX.read_text(encoding="utf-8")
    (most,) = re.findall(r"client_max_body_size (\d+)m;", said)
    assert int(most) * 2**20 >= LARGEST_UPLOAD
    for header in ("Host $host", "X-Forwarded-For $remote_addr", "X-Forwarded-Proto $scheme"):
        assert f"proxy_set_header {header};" in said


@pytest.mark.skipif(not all(map(shutil.which, ("nginx", "openssl"))), reason="there is no nginx here")
def test_nginx_understands_it(tmp_path: Path) -> None:
    key, certificate = tmp_path / "privkey.pem", tmp_path / "fullchain.pem"
    make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=eval.example.org"]
    subprocess.run([*make, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    ours = NGINX.read_text(encoding="utf-8").replace("/etc/ssl/goldmark", str(tmp_path)).replace("443 ssl", "8443 ssl")
    whole = tmp_path / "nginx.conf"
    whole.write_text(
        f"pid {tmp_path}/pid;\nevents {{}}\nhttp {{\naccess_log off;\n{ours.replace('listen 80;', 'listen 8480;')}\n}}"
    )
    tried = subprocess.run(
        ["nginx", "-t", "-e", tmp_path / "log", "-c", whole], capture_output=True, text=True, check=False
    )
    assert tried.returncode == 0, tried.stderr
