// The advice beside a new password.
import assert from "node:assert/strict";
import { test } from "node:test";
import { strength } from "../../src/goldmark/web/static/js/manage/password_strength.js";

const tried = ["password", "annotation", "admin"];
const level = (password) => strength(password, { shortest: 12, tried }).level;

test("what is too short says how much is missing", () => {
  assert.deepEqual(strength("", { shortest: 12, tried }), { level: 0, words: "" });
  assert.equal(strength("short", { shortest: 12, tried }).words, "7 more characters");
  assert.equal(strength("elevenchars", { shortest: 12, tried }).words, "1 more character");
  assert.equal(strength("🔑".repeat(11), { shortest: 12, tried }).words, "1 more character");
});

test("what everybody tries counts for nothing", () => {
  for (const bad of ["passwordpassword", "Annotation-admin", "aaaaaaaaaaaaaaaa", "123456789012345", "abcdefghijklmnop", "ADMIN password!!"]) {
    assert.equal(level(bad), 1, bad);
  }
});

test("a few unrelated words are strong", () => {
  assert.equal(level("four unrelated words here"), 4);
  assert.equal(level("kettle mossy quarz violin"), 4);
  assert.ok(level("ottoottootto") < level("ottoerikbaum"));
});
