"""Keys to platforms: from the environment, or from a file that nobody else can read."""

from __future__ import annotations

from pathlib import Path

import pytest

from goldmark.connectors.keys import KeyMissing, KeysNotReadable, KeysTooOpen, key, maybe


def test_keys_come_from_the_environment_or_a_file_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PROLIFIC_TOKEN", raising=False)
    monkeypatch.delenv("GOLDMARK_KEYS", raising=False)
    with pytest.raises(KeyMissing, match="PROLIFIC_TOKEN"):
        key("PROLIFIC_TOKEN")
    file = tmp_path / "keys"
    file.write_text("# of the laboratory\nPROLIFIC_TOKEN = from=the=file\n\n", encoding="utf-8")
    monkeypatch.setenv("GOLDMARK_KEYS", str(file))
    file.chmod(0o644)
    with pytest.raises(KeysTooOpen, match="chmod 600") as refused:
        key("PROLIFIC_TOKEN")
    assert "from=the=file" not in str(refused.value)
    file.chmod(0o600)
    assert key("PROLIFIC_TOKEN") == "from=the=file"
    assert maybe("PROLIFIC_WORKSPACE", "none") == "none"
    monkeypatch.setenv("PROLIFIC_TOKEN", "from the environment")
    assert key("PROLIFIC_TOKEN") == "from the environment"
    monkeypatch.setenv("GOLDMARK_KEYS", str(tmp_path / "elsewhere"))
    with pytest.raises(KeysNotReadable):
        maybe("PROLIFIC_WORKSPACE")
