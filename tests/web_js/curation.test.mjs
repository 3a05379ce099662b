import assert from "node:assert/strict";
import test from "node:test";
import { Model } from "../../src/goldmark/web/static/js/curation/model.js";
import { Ends, Pair } from "../../src/goldmark/web/static/js/curation/modes.js";
import { initials } from "../../src/goldmark/web/static/js/curation/paper.js";
import { KEYS } from "../../src/goldmark/web/static/js/curation/keys.js";
import { Told } from "../../src/goldmark/web/static/js/curation/told.js";

const entry = (id, start, end, status = "open") => ({
  ...{ id, start, end, label: "NAME", status, correction: "", comment: "", note: "", group: "" },
  ...{ found_by: 1, label_agreed_by: 1, span_agreed_by: 1, sources: [] },
});
const BEGIN = {
  number: 1,
  kind: "begin",
  facts: { entries: [entry("1.1", 0, 2), entry("1.2", 4, 5)], annotators: ["Ann"], responses: ["1.1"] },
};

function model() {
  const rules = { first: 0, last: 20, overlaps: false, priority: [] };
  return new Model({ steps: [BEGIN], rules, me: "Dee", basis: ["1.1"], csrf: "x", address: "/here" });
}

/** A server that has other curators' steps and takes ours after them. */
function server(theirs = []) {
  const steps = [BEGIN, ...theirs];
  globalThis.fetch = async (_, { body }) => {
    const { after, kind, facts, reason } = JSON.parse(body);
    const reply = (status, content) => ({ status, ok: status < 300, json: async () => content });
    if (after < steps.length) return reply(409, { code: "CURATE-13", message: "moved on", steps: steps.slice(after) });
    const step = { number: steps.length + 1, kind, facts, reason, author: "Dee", at: "2026-01-01T00:00:00Z" };
    steps.push(step);
    return reply(201, { steps: [step] });
  };
  return steps;
}

const settled = (one) =>
  new Promise((resolve) => {
    const look = () => (one.waiting ? setTimeout(look, 1) : resolve(undefined));
    look();
  });

test("a step is seen at once and saved afterwards", async () => {
  const steps = server();
  const one = model();
  assert.equal(one.take("accept", { mark: "1.1" }, "so"), "");
  assert.equal(one.state.entries[0].status, "accepted");
  assert.equal(one.waiting, 1);
  await settled(one);
  assert.deepEqual(
    steps.map((step) => step.kind),
    ["begin", "accept"],
  );
});

test("what cannot be done is refused before it is sent", () => {
  server();
  const one = model();
  assert.match(one.take("add", { start: 1, end: 3, label: "NAME" }, ""), /may not overlap/);
  assert.match(one.take("add", { start: 19, end: 22, label: "NAME" }, ""), /not judged/);
  assert.match(one.take("finish", {}, ""), /2 marks are still undecided/);
  assert.match(one.take("undo", { step: 9 }, ""), /taken back already/);
  assert.match(one.take("accept", { mark: "7.1" }, ""), /not here any more/);
  assert.equal(one.waiting, 0);
});

test("steps on other marks follow those of the other curator, with the names that their marks have now", async () => {
  const theirs = [
    { number: 2, kind: "drop", facts: { mark: "1.2" }, author: "Eli", at: "x" },
    { number: 3, kind: "note", facts: { note: "hm" }, author: "Eli", at: "x" },
  ];
  const steps = server(theirs);
  const one = model();
  const meetings = [];
  one.addEventListener("meeting", (event) => meetings.push(event.detail));
  one.take("add", { start: 8, end: 9, label: "NAME" }, ""); // 2.1, which becomes 4.1
  one.take("add", { start: 10, end: 11, label: "NAME" }, ""); // 3.1, which becomes 5.1
  one.take("change_label", { mark: "2.1", label: "WORD" }, "");
  one.take("merge", { marks: ["2.1", "3.1"], label: "WORD" }, "");
  await settled(one);
  assert.deepEqual(
    steps.slice(3).map((step) => [step.number, step.kind, step.facts.mark ?? step.facts.marks ?? step.facts.start]),
    [
      [4, "add", 8],
      [5, "add", 10],
      [6, "change_label", "4.1"],
      [7, "merge", ["4.1", "5.1"]],
    ],
  );
  assert.deepEqual(
    one.state.entries.map((each) => [each.id, each.status]),
    [
      ["1.1", "open"],
      ["1.2", "dropped"],
      ["7.1", "accepted"],
    ],
  );
  assert.equal(meetings.length, 1);
  assert.deepEqual(meetings[0].lost, []);
});

test("a step on the same mark is not taken, and neither is what builds on it", async () => {
  const steps = server([{ number: 2, kind: "split", facts: { mark: "1.1", at: 1 }, author: "Eli", at: "x" }]);
  const one = model();
  const meetings = [];
  one.addEventListener("meeting", (event) => meetings.push(event.detail));
  one.take("change_label", { mark: "1.1", label: "WORD" }, "");
  one.take("accept", { mark: "1.2" }, "");
  await settled(one);
  assert.deepEqual(
    steps.map((step) => step.kind),
    ["begin", "split", "accept"],
  );
  assert.equal(meetings[0].lost.length, 1);
  assert.match(meetings[0].lost[0].why, /same mark/);
});

test("what the server refuses is taken back and told", async () => {
  globalThis.fetch = async () => ({ status: 422, ok: false, json: async () => ({ message: "no such label" }) });
  const one = model();
  const told = [];
  one.addEventListener("refused", (event) => told.push(event.detail));
  one.take("change_label", { mark: "1.1", label: "COLOUR" }, "");
  await settled(one);
  assert.equal(one.state.entries[0].label, "NAME");
  assert.match(told[0], /change label.*no such label/);
});

test("people are told apart by as few letters as possible", () => {
  assert.deepEqual([...initials(["Ann", "Bo"]).values()], ["A", "B"]);
  assert.deepEqual([...initials(["Ann", "Abe"]).values()], ["An", "Ab"]);
  assert.deepEqual([...initials(["worker-1", "worker-2"]).values()], ["1", "2"]);
});

test("ends stay in the text and in order", () => {
  const mode = new Ends("span", { start: 2, end: 4 }, { first: 2, last: 6 });
  for (let time = 0; time < 9; time += 1) mode.arrow(1, false);
  assert.deepEqual(mode.place, { start: 2, end: 6 });
  for (let time = 0; time < 9; time += 1) mode.arrow(1, true);
  assert.deepEqual(mode.place, { start: 5, end: 6 });
  mode.arrow(-9, true);
  assert.deepEqual(mode.place, { start: 2, end: 6 });
});

test("the other of a pair is never the mark itself", () => {
  const pair = new Pair([entry("1.1", 0, 1), entry("1.2", 2, 3)], "1.2");
  assert.equal(pair.other.id, "1.1");
  pair.arrow(1);
  assert.equal(pair.other.id, "1.1");
});

test("every key means one thing", () => {
  const keys = KEYS.flatMap(([, , some]) => some);
  assert.equal(new Set(keys).size, keys.length);
});

test("a step is told by the words that it was about at the time", () => {
  const words = ["a", "b", "c", "d", "e"];
  const told = new Told(({ start, end }) => words.slice(start, end).join(" "));
  const steps = [
    BEGIN,
    { number: 2, kind: "change_span", facts: { mark: "1.1", start: 0, end: 3 } },
    { number: 3, kind: "split", facts: { mark: "1.1", at: 1 } },
    { number: 4, kind: "merge", facts: { marks: ["3.2", "1.2"] } },
    { number: 5, kind: "drop", facts: { mark: "4.1" } },
  ];
  assert.deepEqual(told.all(steps).slice(1), [
    "moved “a b” to “a b c”",
    "split “a b c” into “a” and “b c”",
    "merged “b c” and “e”",
    "dropped “b c d e”",
  ]);
});
