"""UIMA CAS, JSON and XMI."""

from __future__ import annotations

from typing import Any

import pytest

cassis = pytest.importorskip("cassis")

from goldmark.errors import GoldmarkError, ProblemsFound  # noqa: E402
from goldmark.exchange.campaign.archive import zipped  # noqa: E402
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


@pytest.mark.parametrize("declared", [True, False])
def test_words_about_an_encoding_stay_in_a_text(declared: bool) -> None:
    cas = foreign()
    cas.sofa_string = "Say encoding='x' now."
    xmi = cas.to_xmi()
    files = {"doc.txt/ada.xmi": (xmi if declared else xmi[xmi.index("?>") + 2 :]).encode()}
    record = FORMATS["cas"].read({**files, "doc.txt/TypeSystem.xml": cas.typesystem.to_xml().encode()})
    assert record.units[0].shown.texts["text"].text.characters == cas.sofa_string


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


OWLS = "The Owls won ."
SETTINGS = "de.tudarmstadt.ukp.clarin.webanno.api.type.CASMetadata"
TAGS = "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.TagsetDescription"


def of_inception(*marks: tuple[int, int, str, int]) -> Any:
    """A CAS as a project there exports it: with the tool's own annotations, relations, features of all sorts."""
    types = cassis.TypeSystem()
    made = {}
    for name in (SETTINGS, TAGS, "webanno.custom.Chain", "webanno.custom.Errors"):
        made[name] = types.create_type(name=name, supertypeName="uima.tcas.Annotation")
    for end in ("Governor", "Dependent"):
        types.create_feature(made["webanno.custom.Chain"], name=end, rangeType="uima.tcas.Annotation")
    layer = made["webanno.custom.Errors"]
    for name, kind in (("A_Type", "String"), ("H_FOUND_ERR", "Integer"), ("seen", "Boolean")):
        types.create_feature(layer, name=name, rangeType=f"uima.cas.{kind}")
    types.create_feature(layer, name="why", rangeType="uima.cas.StringArray", elementType="uima.cas.String")
    cas = cassis.Cas(typesystem=types)
    cas.sofa_string, cas.sofa_mime = OWLS, "text/plain"
    cas.add_all([made[SETTINGS](begin=0, end=0), made[TAGS](begin=0, end=len(OWLS))])
    reasons = types.get_type("uima.cas.StringArray")
    for start, stop, label, found in marks:
        cas.add(layer(begin=start, end=stop, A_Type=label, H_FOUND_ERR=found, why=reasons(elements=["old", "odd"])))
    if marks:
        cas.add(made["webanno.custom.Chain"](begin=4, end=8))
    return cas


@pytest.mark.parametrize("ending", ["json", "xmi"])
def test_the_export_of_a_whole_project_of_inception(ending: str) -> None:
    ada, bo = of_inception((4, 8, "1_NAME", 2)), of_inception()
    files = {"exportedproject123.json": b"{}", "source/t.txt": OWLS.encode(), "annotation/t.txt/INITIAL_CAS.ser": b""}
    for person, cas in (
        ("annotation/t.txt/ada", ada),
        ("annotation/t.txt/bo", bo),
        ("curation/t.txt/CURATION_USER", ada),
    ):
        if ending == "json":
            files[f"{person}.json"] = cas.to_json().encode()
        else:  # which has two files, so that each person has an archive; what is in it is called after the text
            types = cas.typesystem.to_xml().encode()
            files[f"{person}.zip"] = zipped([("t.xmi", cas.to_xmi().encode()), ("TypeSystem.xml", types)])
    record = FORMATS["cas"].read(files)
    mark = {"id": "m1", "start": 1, "end": 2, "label": "1_NAME", "H_FOUND_ERR": "2", "why": "old; odd"}
    assert {one.annotator: one.answers for one in record.responses} == {
        "ada": {"Errors": [mark]},
        "bo": {"Errors": []},
        "CURATION_USER": {"Errors": [mark]},
    }


def test_an_archive_in_an_archive_that_is_none_is_told() -> None:
    with pytest.raises(GoldmarkError, match=r"ada\.zip cannot be imported"):
        FORMATS["cas"].read({"annotation/t.txt/ada.zip": b"no archive"})
