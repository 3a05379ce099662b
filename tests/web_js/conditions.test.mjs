// The page decides conditions as the server does: the cases are the server's own.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { answered, holds, numbersOf } from "../../src/goldmark/web/static/js/conditions.js";

const cases = JSON.parse(readFileSync(new URL("../protocols/condition_cases.json", import.meta.url), "utf8"));

test("there are cases", () => assert.ok(cases.length > 20));

for (const one of cases) {
  test(`${one.note}: ${one.expression}`, () => {
    assert.equal(holds(one.tree, one.answers, one.numbers), one.expected);
  });
}

test("no condition always holds", () => assert.equal(holds(null, {}, {}), true));

test("what an object inherits is no answer", () => assert.equal(holds(["answered", "constructor"], {}, {}), false));

test("zero and false are answers, blanks are not", () => {
  assert.deepEqual([0, false, "", " ", [], null, undefined, "x", ["x"]].map(answered), [
    true,
    true,
    false,
    false,
    false,
    false,
    false,
    true,
    true,
  ]);
});

test("numbers come from the options that carry one", () => {
  assert.deepEqual(
    numbersOf([
      {
        id: "q",
        options: [
          { id: "a", value: 1 },
          { id: "b", value: null },
        ],
      },
      { id: "t" },
    ]),
    { q: { a: 1 } },
  );
});
