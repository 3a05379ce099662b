"""UIMA CAS, JSON and XMI."""

from __future__ import annotations

from typing import Any

import pytest

cassis = pytest.importorskip("cassis")

from goldmark.errors import ProblemsFound  # noqa: E402
from goldmark.exchange.formats import FORMATS  # noqa: E402
from tests.exchange.every_protocol import SILENT, hard_campaign  # noqa: E402

TEXT = "The 🎉 Owls won."


def foreign() -> Any:
    types = cassis.TypeSystem()
    layer = types.create_type(name="custom.Span", supertypeName="uima.tcas.Annotation")
    for name in ("value", "comment"):
        types.create_feature(domainType=layer, name=name, rangeType="uima.cas.String")
    cas = cassis.Cas(typesystem=types)
    cas.sofa_string, cas.sofa_mime = TEXT, "text/plain"
    cas.add(layer(begin=6, end=10, value="NAME", comment="not them"))
    return cas


@pytest.mark.parametrize("name", ["accuracy/1", "tgea/1", "span-severity/1"])
def test_marks_come_back(name: str) -> None:
    record = hard_campaign(name)
    files = dict(FORMATS["cas"].write(record, None))
    back = FORMATS["cas"].read(files)
    tsv = FORMATS["webanno-tsv"]
    by_tsv = tsv.read(dict(tsv.write(record, None)))
    assert dict(tsv.write(back, None)) == dict(tsv.write(by_tsv, None))
    assert SILENT in {one.annotator for one in back.responses}


def test_files_that_other_programs_wrote() -> None:
    cas = foreign()
    expected = [{"id": "m1", "start": 2, "end": 3, "label": "NAME", "comment": "not them"}]
    by_json = FORMATS["cas"].read({"annotation/doc.txt/ada.json": cas.to_json().encode()})
    types = cas.typesystem.to_xml().encode()
    xmi = {"doc.txt/ada.xmi": cas.to_xmi().encode(), "doc.txt/TypeSystem.xml": types}
    for record in (by_json, FORMATS["cas"].read(xmi)):
        assert record.units[0].shown.texts["text"].text.characters == TEXT
        assert record.responses[0].answers == {"custom.Span": expected}
    with pytest.raises(ProblemsFound):
        FORMATS["cas"].read({"doc.txt/ada.xmi": xmi["doc.txt/ada.xmi"]})
    with pytest.raises(ProblemsFound):
        FORMATS["cas"].read({"a/b.xmi": b'<!DOCTYPE x [<!ENTITY a "a">]><x/>', "a/TypeSystem.xml": types})
