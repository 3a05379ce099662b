"""What the page receives: complete, plain data, and safe to show."""

from __future__ import annotations

from goldmark.protocols import load, present
from goldmark.protocols.presentation import to_html
from tests.protocols.conftest import MakeProtocol


def test_a_whole_protocol(protocol_of: MakeProtocol) -> None:
    protocol = protocol_of(
        """summary: Short.
instructions: "Read *this*."
taxonomies: {t: [{id: NAME, children: [{id: DATE}, {id: DAY}]}, {id: NUMBER}, {id: NONE, mark: X, key: n}]}
steps:
  - questions:
      - {id: verdict, kind: choice, options: {fine: 1, not_fine: 0}}
  - id: second
    when: verdict == not_fine
    locks: true
    questions: [{id: s, kind: spans, labels: {tree: t}, links: {to: {exactly: 1}}}]
"""
    )
    page = present(protocol)
    assert page["instructions_html"] == "<p>Read <em>this</em>.</p>\n"
    first, second = page["steps"]
    assert (first["id"], first["when"], first["locks"]) == ("step1", None, False)
    assert first["questions"] == [
        {
            "id": "verdict",
            "kind": "choice",
            "ask": "Verdict",
            "help": "",
            "required": True,
            "when": None,
            "go_on": False,
            "options": [
                {"id": "fine", "title": "Fine", "value": 1.0, "key": "1", "help": "", "group": "", "alone": False},
                {
                    "id": "not_fine",
                    "title": "Not fine",
                    "value": 0.0,
                    "key": "2",
                    "help": "",
                    "group": "",
                    "alone": False,
                },
            ],
        }
    ]
    assert (second["id"], second["locks"]) == ("second", True)
    assert second["when"] == ["==", ["answer", "verdict"], ["value", "not_fine"]]
    (spans,) = second["questions"]
    assert spans["of"] == "text"
    assert spans["links"] == [{"id": "to", "ask": "To", "at_least": 1, "at_most": 1}]
    name, number, none = spans["labels"]["labels"]
    # NAME takes N, so NUMBER takes its next letter; the given mark X and key n stay with NONE.
    assert [(one["mark"], one["key"]) for one in (name, number, none)] == [("N", "a"), ("U", "u"), ("X", "n")]
    assert [(one["path"], one["full_mark"]) for one in name["children"]] == [("NAME.DATE", "ND"), ("NAME.DAY", "NA")]


def test_a_comparison_has_options_like_a_choice() -> None:
    compare = present(load("pairwise"))["steps"][0]["questions"][0]
    assert [(one["id"], one["title"]) for one in compare["options"]] == [
        ("a", "Text A"),
        ("b", "Text B"),
        ("tie", "No difference"),
    ]


def test_instructions_cannot_run_or_load_anything() -> None:
    hostile = (
        "<script>alert(1)</script>\n\n[x](javascript:alert(1)) ![i](https://example.org/spy.png)\n\n"
        "<img src=x onerror=alert(1)>\n\n[ok](https://example.org)"
    )
    html = to_html(hostile)
    assert "<script" not in html
    assert "<img" not in html
    assert 'href="javascript' not in html
    assert 'href="https://example.org"' in html


def test_tables_are_shown() -> None:
    assert "<table>" in to_html("| a | b |\n|---|---|\n| 1 | 2 |")
