// What people hear who cannot see the text and its marks.
import { _, listed } from "../language.js";

/**
 * Where the caret is.
 * @param {import("./atoms.js").Atoms} atoms @param {number} caret @param {string[]} marks the titles of those on it
 */
export function hereWords(atoms, caret, marks) {
  const where = { at: caret + 1, all: atoms.length };
  return [
    atoms.word(caret),
    marks.length ? _("marked {labels}", { labels: listed(marks) }) : "",
    caret < atoms.promptEnd() ? _("given beginning") : "",
    atoms.by === "token" ? _("word {at} of {all}", where) : _("character {at} of {all}", where),
  ]
    .filter(Boolean)
    .join(", ");
}

/** A new mark. @param {string} words @param {string} [label] */
export const markedAs = (words, label) =>
  label ? _("Marked {words} as {label}", { words, label }) : _("Marked {words}", { words });
