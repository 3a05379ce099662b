// The words of a page by the catalogue that stands in it.
import assert from "node:assert/strict";
import { test } from "node:test";

const MODULE = "../../src/goldmark/web/static/js/language.js";

/** A fresh module with this catalogue in its page. */
async function speaking(catalogue, languages = []) {
  globalThis.document = { getElementById: () => (catalogue ? { textContent: JSON.stringify(catalogue) } : null) };
  Object.defineProperty(globalThis, "navigator", { value: { languages }, configurable: true });
  return import(`${MODULE}?${Math.random()}`);
}

const rule = (count) => (count % 10 === 1 && count % 100 !== 11 ? 0 : [2, 3, 4].includes(count % 10) && ![12, 13, 14].includes(count % 100) ? 1 : 2);
const RUSSIAN = {
  language: "ru",
  direction: "ltr",
  plural: Array.from({ length: 200 }, (_, count) => rule(count)).join(""),
  messages: { Next: "Далее", "{count} text": ["{count} текст", "{count} текста", "{count} текстов"] },
};

test("without a catalogue it is English", async () => {
  const { _, ngettext, LANGUAGE } = await speaking(null);
  assert.equal(_("{at} of {all}", { at: 1, all: 12 }), "1 of 12");
  assert.deepEqual([0, 1, 2].map((count) => ngettext("{count} text", "{count} texts", count)), ["0 texts", "1 text", "2 texts"]);
  assert.equal(LANGUAGE, "en");
});

test("a number takes its form, however large it is", async () => {
  const { _, ngettext } = await speaking(RUSSIAN);
  const said = [1, 2, 5, 11, 21, 101, 111, 112, 122].map((count) => ngettext("{count} text", "{count} texts", count));
  assert.deepEqual(said.map((one) => one.split(" ")[1]), ["текст", "текста", "текстов", "текстов", "текст", "текст", "текстов", "текстов", "текста"]);
  assert.equal(_("Next"), "Далее");
  assert.equal(_("constructor"), "constructor");
  assert.equal(_("nobody translated {this}", { that: 1 }), "nobody translated {this}");
});

test("numbers are written as in the person's own variety of the language", async () => {
  const { number, percent } = await speaking({ ...RUSSIAN, language: "de" }, ["de-AT", "en"]);
  assert.equal(number(12.5), "12,5");
  assert.equal(percent(0.5).replace(/\s/u, " "), "50 %");
});

test("what runs in the other direction is kept apart", async () => {
  const { _ } = await speaking({ language: "ar", direction: "rtl", plural: "0".repeat(200), messages: {} });
  assert.equal(_("x {words}", { words: "abc" }), "x \u2068abc\u2069");
});
