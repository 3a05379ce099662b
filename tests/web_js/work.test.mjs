import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import "../../src/goldmark/web/static/js/kinds/choice.js";
import "../../src/goldmark/web/static/js/kinds/text.js";
import { Presence } from "../../src/goldmark/web/static/js/work/presence.js";
import { Activity, spoken } from "../../src/goldmark/web/static/js/work/activity.js";
import { asked, problemsIn } from "../../src/goldmark/web/static/js/work/asked.js";
import { newest } from "../../src/goldmark/web/static/js/work/drafts.js";
import { History } from "../../src/goldmark/web/static/js/work/history.js";
import { KEYS } from "../../src/goldmark/web/static/js/work/dialogs.js";

const choice = (id, when = null) => ({
  id,
  kind: "choice",
  ask: id,
  required: true,
  when,
  options: [
    { id: "yes", value: 1 },
    { id: "no", value: 0 },
  ],
});
const PROTOCOL = {
  steps: [
    {
      id: "one",
      when: null,
      questions: [choice("first"), choice("second", ["==", ["answer", "first"], ["value", "yes"]])],
    },
    { id: "two", when: ["==", ["answer", "second"], ["value", "yes"]], questions: [choice("third")] },
  ],
};

test("what is hidden is not sent, and hides in turn what depends on it", () => {
  const all = { first: "yes", second: "yes", third: "no" };
  assert.deepEqual(asked(PROTOCOL, all).answers, all);
  // `second` was answered before `first` changed its mind: it is hidden now, so step two is not reached either.
  const changed = asked(PROTOCOL, { ...all, first: "no" });
  assert.deepEqual(changed.answers, { first: "no" });
  assert.deepEqual(
    changed.steps.map(({ step, questions }) => [step.id, questions.length]),
    [["one", 1]],
  );
});

test("a required question without an answer is a problem of its own", () => {
  const { steps, answers } = asked(PROTOCOL, { first: "yes" });
  assert.deepEqual(
    problemsIn(steps[0].questions, answers, () => null).map((problem) => problem.where),
    ["second"],
  );
});

test("a text that is too short says how much is missing, counted in code points", () => {
  const question = { id: "why", kind: "text", ask: "Why?", required: true, when: null, at_least: 5, at_most: 9 };
  assert.match(problemsIn([question], { why: "😀😀😀 " }, () => null)[0].what, /2 are missing/u);
  assert.deepEqual(problemsIn([question], { why: "😀😀😀😀😀" }, () => null), []);
});

test("white space around words is not sent, and what is inside them is", () => {
  const question = { id: "why", kind: "text", ask: "Why?", required: true, when: null, at_least: 0, at_most: 9 };
  const protocol = { steps: [{ id: "one", when: null, questions: [question] }] };
  const typed = { why: " a\n b\n" };
  assert.deepEqual(asked(protocol, typed).answers, { why: "a\n b" });
  assert.deepEqual(typed, { why: " a\n b\n" }, "what is typed stays as it is");
  assert.deepEqual(asked(protocol, { why: " \n" }).answers, {});
});

test("undo and redo walk through the whole answer; typing in one field is one change", () => {
  let now = 0;
  const history = new History(
    {},
    () => {},
    () => now,
  );
  history.set("a", "1");
  history.set("b", "x", "b");
  now = 500;
  history.set("b", "xy", "b");
  now = 5000;
  history.set("b", "xyz", "b");
  history.undo();
  assert.deepEqual(history.answers, { a: "1", b: "xy" });
  history.undo();
  assert.deepEqual(history.answers, { a: "1" });
  history.redo();
  assert.deepEqual(history.answers, { a: "1", b: "xy" });
  history.set("a", undefined);
  assert.equal(history.redo(), false, "a new change ends what could be redone");
  assert.deepEqual(history.answers, { b: "xy" });
});

test("undoing everything gives back the beginning, whatever was done", () => {
  const history = new History(
    { a: "0" },
    () => {},
    () => 0,
  );
  for (let step = 0; step < 50; step += 1) history.set(`q${step % 7}`, step % 3 ? String(step) : null);
  while (history.undo());
  assert.deepEqual(history.answers, { a: "0" });
});

const local = (version, at, unsaved = true) => ({ answers: { here: 1 }, at, version, unsaved, seconds: 5 });
const remote = (version, at) => ({ answers: { there: 1 }, saved_at: at, version, seconds_active: 9 });

test("the newest draft wins, and the other one is not thrown away", () => {
  const [early, late] = ["2026-01-01T10:00:00Z", "2026-01-01T11:00:00Z"];
  assert.equal(newest(null, null), null);
  assert.equal(
    newest(local(3, late, false), null),
    null,
    "what the server had and has no more was submitted elsewhere",
  );
  assert.equal(newest(local(3, late, false), remote(3, early)).from, "server");
  assert.equal(newest(local(3, early), remote(3, late)).from, "here", "made from the server's version, so it is newer");
  assert.deepEqual(
    [newest(local(2, late), remote(3, early)).from, newest(local(2, late), remote(3, early)).other],
    ["here", { there: 1 }],
  );
  assert.deepEqual(
    [newest(local(2, early), remote(3, late)).from, newest(local(2, early), remote(3, late)).other],
    ["server", { here: 1 }],
  );
});

test("idle time and hidden time do not count", () => {
  let [now, visible] = [0, true];
  const activity = new Activity({ now: () => now, visible: () => visible });
  now = 10_000;
  activity.sign();
  assert.equal(activity.seconds, 10);
  now = 300_000; // nearly five minutes without a sign: only the first of them counts
  activity.sign();
  assert.equal(activity.seconds, 70);
  now = 305_000;
  visible = false;
  activity.visibilityChanged();
  now = 900_000;
  assert.equal(activity.seconds, 75);
  visible = true;
  activity.visibilityChanged();
  now = 902_000;
  assert.equal(activity.seconds, 77);
});

test("who is at the page is heard of every minute, who is still is asked and no longer speaks for", async () => {
  let [now, calls, asked] = [0, 0, []];
  const activity = new Activity({ now: () => now, visible: () => true });
  const api = { here: async () => ((calls += 1), { kept_until: new Date(now + 900_000).toISOString() }) };
  const page = { tell: (words) => (asked.push(words), { remove: () => asked.push("gone") }) };
  const presence = new Presence(api, activity, () => page, () => now);
  const until = async (end) => {
    for (; now < end; now += 15_000) await presence.look();
  };
  await until(300_000);
  assert.equal(calls, 4, "once a minute");
  await until(900_000); // nothing happens any more: for five minutes they are taken to read
  assert.deepEqual([calls, asked.length], [4, 0]);
  await until(1_130_000); // kept until 240 s + 15 min; three minutes before, they are asked
  assert.equal(asked.length, 1);
  assert.match(asked[0], /still there/);
  activity.sign();
  await presence.look();
  assert.deepEqual([calls, asked.at(-1)], [5, "gone"]);
});

test("times are said briefly", () => {
  assert.deepEqual([41.9, 60, 3599, 3900].map(spoken), ["41 s", "1 min", "59 min", "1 h 05 min"]);
});

test("the page for annotators explains every key that the list of keys shows", () => {
  const page = readFileSync(new URL("../../docs/how-to/annotate.md", import.meta.url), "utf8");
  const shown = KEYS.flatMap(([, rows]) => rows.flatMap(([keys]) => keys));
  assert.ok(shown.length > 20);
  assert.deepEqual(
    shown.filter((key) => !page.includes(`\`${key}\``)),
    [],
  );
});
