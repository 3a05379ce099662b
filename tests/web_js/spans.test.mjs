import assert from "node:assert/strict";
import test from "node:test";
import "../../src/goldmark/web/static/js/kinds/choice.js";
import "../../src/goldmark/web/static/js/kinds/text.js";
import { Atoms, codePointStarts } from "../../src/goldmark/web/static/js/spans/atoms.js";
import {
  askedAttributes,
  attributeNote,
  labelsByPath,
  newSpanId,
  problemsOf,
  tidySpan,
  whyNot,
} from "../../src/goldmark/web/static/js/spans/answers.js";
import { boxed } from "../../src/goldmark/web/static/js/spans/invisibles.js";
import { assignLanes, coverage } from "../../src/goldmark/web/static/js/spans/lanes.js";
import { combined, isLetter, readings } from "../../src/goldmark/web/static/js/keys.js";
import { target } from "../../src/goldmark/web/static/js/spans/moves.js";

// "a 😀b c": the emoji is one code point and two UTF-16 units, so "b" is code point 3 but unit 4.
const EMOJI = {
  characters: "a 😀b c",
  tokens: [
    [0, 1],
    [2, 4],
    [5, 6],
  ],
  sentences: [[0, 3]],
  prompt: null,
  focus: null,
  given: [],
  language: "",
};

test("code points are found in UTF-16", () => {
  assert.deepEqual([...codePointStarts("a😀b")], [0, 1, 3, 4]);
});

test("tokens after an emoji are the right characters", () => {
  const atoms = new Atoms(EMOJI, "token");
  assert.deepEqual(
    [0, 1, 2].map((atom) => atoms.word(atom)),
    ["a", "😀b", "c"],
  );
  assert.equal(atoms.read({ start: 0, end: 2 }), "a 😀b");
  assert.deepEqual(
    [0, 1, 2, 3].map((atom) => atoms.gap(atom)),
    ["", " ", " ", ""],
  );
});

test("character marks count code points and keep what a reader sees as one character together", () => {
  const accented = {
    ...EMOJI,
    characters: "e\u0301x 👩‍👧 z",
    tokens: [
      [0, 3],
      [4, 7],
      [8, 9],
    ],
  };
  const atoms = new Atoms(accented, "character");
  assert.deepEqual(atoms.places, [
    [0, 2],
    [2, 3],
    [4, 7],
    [8, 9],
  ]);
  assert.deepEqual(atoms.toAnswer({ start: 1, end: 3 }, "character"), { start: 2, end: 7 });
  assert.deepEqual(atoms.fromAnswer({ start: 2, end: 7 }, "character"), { start: 1, end: 3 });
});

test("on a text marked by character, a question by token gets whole tokens", () => {
  const atoms = new Atoms(EMOJI, "character");
  assert.equal(atoms.word(2), "b");
  assert.deepEqual(atoms.toAnswer({ start: 2, end: 3 }, "token"), { start: 1, end: 2 });
  assert.deepEqual(atoms.fromAnswer({ start: 1, end: 2 }, "token"), { start: 1, end: 3 });
});

test("every range of tokens survives the way through atoms and back", () => {
  for (const by of ["token", "character"]) {
    const atoms = new Atoms(EMOJI, by);
    for (let start = 0; start < 3; start += 1)
      for (let end = start + 1; end <= 3; end += 1)
        assert.deepEqual(atoms.toAnswer(atoms.fromAnswer({ start, end }, "token"), "token"), { start, end });
  }
});

test("marks that overlap get lanes of their own, others share the first", () => {
  const [outer, inner, apart, crossing] = [
    [0, 6],
    [2, 4],
    [8, 9],
    [5, 8],
  ].map(([start, end]) => ({ start, end, lane: -1 }));
  assert.equal(assignLanes([inner, outer, apart, crossing]), 2);
  assert.deepEqual(
    [outer, inner, crossing, apart].map((mark) => mark.lane),
    [0, 1, 1, 0],
  );
});

test("no two marks on a word share a lane, whatever the marks", () => {
  let seed = 7;
  const random = (most) => (seed = (seed * 1103515245 + 12345) % 2147483648) % most;
  for (let round = 0; round < 200; round += 1) {
    const marks = Array.from({ length: 1 + random(12) }, () => {
      const start = random(30);
      return { start, end: start + 1 + random(10), lane: -1 };
    });
    assignLanes(marks);
    for (const here of coverage(marks).values()) assert.equal(new Set(here.map((mark) => mark.lane)).size, here.length);
  }
});

const QUESTION = {
  id: "errors",
  overlap: false,
  at_least: 0,
  at_most: 2,
  by: "token",
  labels: {
    any_level: false,
    priority: [],
    labels: [
      {
        path: "a",
        title: "A",
        mark: "A",
        full_mark: "A",
        key: "a",
        children: [{ path: "a.x", title: "X", mark: "X", full_mark: "AX", key: "x", children: [] }],
      },
      { path: "b", title: "B", mark: "B", full_mark: "B", key: "b", children: [] },
    ],
  },
  attributes: [
    { id: "correction", kind: "text", ask: "Correction", required: false, at_least: 0, at_most: 100, when: null },
    {
      id: "severity",
      kind: "choice",
      ask: "Severity",
      required: true,
      options: [{ id: "minor" }],
      when: ["under", ["answer", "label"], ["value", "b"]],
    },
  ],
  links: [{ id: "associated", ask: "Which words?", at_least: 1, at_most: 1 }],
  require: ["or", ["answered", "correction"], ["answered", "severity"]],
  otherwise: "Write a correction.",
};

test("a finer label has the colour of its first level and the letters of both", () => {
  const { tone, full_mark: mark } = labelsByPath(QUESTION).get("a.x");
  assert.deepEqual([tone, mark, labelsByPath(QUESTION).get("b").tone], [1, "AX", 2]);
});

test("a place is refused in words when it overlaps, exceeds the limit or lies in the prompt", () => {
  const spans = [{ id: "e1", start: 3, end: 5 }];
  assert.equal(whyNot(QUESTION, spans, { start: 5, end: 6 }, 0), "");
  assert.match(whyNot(QUESTION, spans, { start: 4, end: 6 }, 0), /already marked/u);
  assert.equal(whyNot(QUESTION, spans, { id: "e1", start: 4, end: 6 }, 0), "", "a mark may overlap its own old place");
  assert.equal(whyNot({ ...QUESTION, overlap: true }, spans, { start: 4, end: 6 }, 0), "");
  assert.match(whyNot(QUESTION, [...spans, { id: "e2", start: 7, end: 8 }], { start: 9, end: 10 }, 0), /At most 2/u);
  assert.match(whyNot(QUESTION, [], { start: 1, end: 2 }, 2), /given beginning/u);
});

test("ids of spans are never given twice", () => {
  assert.equal(newSpanId([]), "e1");
  assert.equal(newSpanId([{ id: "e2" }]), "e3");
  assert.equal(newSpanId([{ id: "e1" }, { id: "e3" }]), "e4");
});

test("attributes whose condition does not hold are neither asked nor sent", () => {
  const span = {
    id: "e1",
    start: 0,
    end: 1,
    label: "a.x",
    correction: "so",
    severity: "minor",
    links: { associated: [] },
  };
  assert.deepEqual(
    askedAttributes(QUESTION, span).map((one) => one.id),
    ["correction"],
  );
  assert.deepEqual(tidySpan(QUESTION, span), { id: "e1", start: 0, end: 1, label: "a.x", correction: "so" });
  assert.equal(tidySpan(QUESTION, { ...span, label: "b" }).severity, "minor");
  assert.equal(tidySpan(QUESTION, { ...span, correction: " so  it \n" }).correction, "so  it");
});

test("an attribute is called optional only where the mark can do without it", () => {
  const [correction, comment] = ["correction", "comment"].map((id) => ({ id, kind: "text", ask: id, required: false }));
  const either = {
    attributes: [correction, comment],
    require: ["or", ["answered", "correction"], ["answered", "comment"]],
  };
  const empty = { id: "e1", start: 0, end: 1, label: "a" };
  assert.equal(attributeNote(either, empty, correction), " (one of these is needed)");
  assert.equal(attributeNote(either, { ...empty, comment: "no" }, correction), " (optional)");
  assert.equal(attributeNote(either, { ...empty, comment: "no" }, comment), " (one of these is needed)");
  const unless = {
    attributes: [correction, comment],
    require: ["or", ["answered", "correction"], ["under", ["answer", "label"], ["value", "redundancy"]]],
  };
  assert.equal(attributeNote(unless, empty, correction), "");
  assert.equal(attributeNote(unless, { ...empty, label: "redundancy.word" }, correction), " (optional)");
  assert.equal(attributeNote(unless, empty, comment), " (optional)");
  assert.equal(attributeNote({ attributes: [comment], require: null }, empty, comment), " (optional)");
});

test("what is missing is named with the mark it belongs to", () => {
  const parts = (span) => problemsOf(QUESTION, [span], null).map((problem) => problem.part);
  assert.deepEqual(parts({ id: "e1", start: 0, end: 1 }), ["e1", "e1.associated", "e1"]);
  assert.deepEqual(parts({ id: "e1", start: 0, end: 1, label: "b", links: { associated: [{ start: 2, end: 3 }] } }), [
    "e1.severity",
    "e1",
  ]);
  assert.deepEqual(
    parts({
      id: "e1",
      start: 0,
      end: 1,
      label: "a.x",
      correction: "so",
      links: { associated: [{ start: 2, end: 3 }] },
    }),
    [],
  );
});

test("the caret moves by word and by sentence and stays in the text", () => {
  const text = {
    length: 7,
    sentences: [
      { start: 0, end: 3 },
      { start: 3, end: 7 },
    ],
    words: [],
  };
  const moves = [
    ["next", 6, 6],
    ["previous", 0, 0],
    ["sentenceNext", 1, 3],
    ["sentenceNext", 4, 6],
    ["sentencePrevious", 5, 3],
    ["sentencePrevious", 3, 0],
    ["sentenceEnd", 0, 2],
    ["sentenceStart", 6, 3],
    ["last", 0, 6],
    ["first", 6, 0],
  ];
  for (const [move, from, to] of moves) assert.equal(target(move, from, text), to, `${move} from ${from}`);
});

test("invisible characters get a name, but joiners stay where a script or an emoji needs them", () => {
  assert.equal(boxed("\u202e", "a", "b"), "RLO");
  assert.equal(boxed("\u200b", "a", "b"), "zero-width space");
  assert.equal(boxed("\u0007", "a", "b"), "U+0007");
  assert.equal(boxed("\u{e0041}", "a", "b"), "U+E0041");
  assert.equal(boxed("\u200c", "a", "b"), "ZWNJ", "between Latin letters it only hides a difference");
  assert.equal(boxed("\u200c", "\u06cc", "\u062e"), null, "Persian needs it");
  assert.equal(boxed("\u200d", "\u{1f469}", "\u{1f467}"), null, "a family is one emoji");
  for (const plain of ["a", "\u00e9", "\u661f", "\n", "\t", " "]) assert.equal(boxed(plain, "", ""), null);
});

test("a key means its letter, else its place; the row of digits gives digits", () => {
  const typed = (key, code, more = {}) => readings({ key, code, ...more });
  assert.deepEqual(typed("n", "KeyN"), ["n"]);
  assert.deepEqual(typed("a", "KeyQ"), ["a"], "AZERTY: what is printed on the key counts");
  assert.deepEqual(typed("т", "KeyN"), ["т", "n"], "Russian, and a protocol may use Cyrillic keys of its own");
  assert.deepEqual(typed("Т", "KeyN", { shiftKey: true }), ["Т", "N"]);
  assert.deepEqual(typed("/", "KeyQ"), ["/", "q"], "Hebrew");
  assert.deepEqual(typed("&", "Digit1"), ["1", "&"], "AZERTY");
  assert.deepEqual(typed("+", "Digit1"), ["1", "+"], "Czech");
  assert.deepEqual(typed("!", "Digit1", { shiftKey: true }), ["!"]);
  assert.deepEqual(typed("х", "BracketLeft"), ["х", "["]);
  assert.deepEqual(typed("؟", "Slash", { shiftKey: true }), ["؟", "?"]);
  assert.deepEqual(typed("[", "Digit8"), ["8", "["], "German, with AltGr");
  assert.deepEqual(typed("Enter", "Enter"), ["Enter"]);
  assert.ok(isLetter({ key: "я", code: "KeyZ" }, "z"));
  assert.ok(!isLetter({ key: "y", code: "KeyZ" }, "z"), "QWERTZ");
  const alt = { ctrlKey: true, altKey: true, getModifierState: (name) => name === "AltGraph" };
  assert.ok(!combined({ ...alt }));
  assert.ok(combined({ ctrlKey: true, getModifierState: () => false }));
});
