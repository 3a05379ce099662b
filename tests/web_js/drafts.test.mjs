// Drafts are in the browser only as long as the server has not got them.
import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.addEventListener = () => {};
const { Drafts } = await import("../../src/goldmark/web/static/js/work/drafts.js");

/** Drafts over a store that one can look into, and a server that answers when it is told to. */
function desk() {
  const kept = new Map();
  const localStore = {
    get: (name) => kept.get(name) ?? null,
    put: (name, value) => kept.set(name, structuredClone(value)),
    drop: (name) => kept.delete(name),
  };
  const asked = [];
  const api = {
    saveDraft: (id, body) => new Promise((answer, refuse) => asked.push({ id, body: structuredClone(body), answer, refuse })),
  };
  const states = [];
  const page = { state: (name) => states.push(name), conflict: () => {}, seconds: () => 1 };
  return { kept, asked, states, drafts: new Drafts(api, localStore, page) };
}

const soon = () => new Promise((next) => setImmediate(next));
const saved = (version) => ({ version, saved_at: "2026-01-01T00:00:00Z" });

test("what the server has is no longer in the browser", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { kept, asked, states, drafts } = desk();
  drafts.open({ id: 7, draft: null });
  drafts.changed({ said: "one" });
  assert.deepEqual(kept.get("draft:7").answers, { said: "one" }, "at once, before anybody answers");
  t.mock.timers.tick(1200);
  asked[0].answer(saved(1));
  await soon();
  assert.equal(kept.size, 0);
  assert.equal(states.at(-1), "saved");
});

test("what changed while it was on its way stays until it is there too", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { kept, asked, drafts } = desk();
  drafts.open({ id: 7, draft: null });
  drafts.changed({ said: "one" });
  t.mock.timers.tick(1200);
  drafts.changed({ said: "two" });
  asked[0].answer(saved(1));
  await soon();
  assert.deepEqual(kept.get("draft:7"), { ...kept.get("draft:7"), answers: { said: "two" }, version: 1, unsaved: true });
  t.mock.timers.tick(1200);
  assert.deepEqual(asked[1].body.answers, { said: "two" });
  asked[1].answer(saved(2));
  await soon();
  assert.equal(kept.size, 0);
});

test("a unit that is left takes what was saved with it, and keeps what was not", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { kept, asked, drafts } = desk();
  for (const id of [7, 8]) {
    drafts.open({ id, draft: null });
    drafts.changed({ said: String(id) });
    drafts.close({ forget: false });
  }
  assert.deepEqual(asked.map((one) => one.id), [7, 8]);
  asked[0].answer(saved(1));
  asked[1].refuse(new Error("no connection"));
  await soon();
  assert.deepEqual([...kept.keys()], ["draft:8"]);
  assert.equal(drafts.open({ id: 8, draft: null }).from, "here");
});

test("a late answer of the server takes nothing that was written since", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { kept, asked, drafts } = desk();
  drafts.open({ id: 7, draft: null });
  drafts.changed({ said: "one" });
  drafts.close({ forget: false });
  drafts.open({ id: 7, draft: null });
  drafts.changed({ said: "two" });
  asked[0].answer(saved(1));
  await soon();
  assert.deepEqual(kept.get("draft:7").answers, { said: "two" });
});
