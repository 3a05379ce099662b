// Where the caret goes. The keyboard speaks of left and right, the text of before and after: in right-to-left lines the
// two are mirrored. Up and down follow the lines as they are on the screen.

/** @typedef {"next" | "previous" | "first" | "last" | "up" | "down"} Step */
/** @typedef {Step | "sentenceNext" | "sentencePrevious" | "sentenceStart" | "sentenceEnd"} Move */

/**
 * Which move a key asks for, or nothing.
 * @param {KeyboardEvent} event
 * @param {boolean} rightToLeft
 * @returns {Move | null}
 */
export function moveOf(event, rightToLeft) {
  if (event.metaKey) return null;
  const far = event.ctrlKey || event.altKey;
  const forward = rightToLeft ? "ArrowLeft" : "ArrowRight";
  const back = rightToLeft ? "ArrowRight" : "ArrowLeft";
  if (event.key === forward) return far ? "sentenceNext" : "next";
  if (event.key === back) return far ? "sentencePrevious" : "previous";
  if (event.altKey) return null;
  if (event.key === "Home") return event.ctrlKey ? "first" : "sentenceStart";
  if (event.key === "End") return event.ctrlKey ? "last" : "sentenceEnd";
  if (event.ctrlKey) return null;
  return { ArrowUp: "up", ArrowDown: "down" }[event.key] ?? null;
}

/**
 * The atom that a move leads to.
 * @param {Move} move
 * @param {number} at
 * @param {{length: number, sentences: import("./atoms.js").Range[], words: HTMLElement[]}} text
 */
export function target(move, at, { length, sentences, words }) {
  const last = length - 1;
  const index = Math.max(
    sentences.findIndex((one) => at < one.end),
    0,
  );
  const sentence = sentences[index] ?? { start: 0, end: length };
  const places = {
    next: () => at + 1,
    previous: () => at - 1,
    first: () => 0,
    last: () => last,
    sentenceStart: () => sentence.start,
    sentenceEnd: () => sentence.end - 1,
    sentenceNext: () => sentences[index + 1]?.start ?? last,
    sentencePrevious: () => (at > sentence.start ? sentence.start : (sentences[index - 1]?.start ?? 0)),
    up: () => nearLine(words, at, -1),
    down: () => nearLine(words, at, 1),
  };
  return Math.min(Math.max(places[move](), 0), last);
}

/** The word straight above or below, by where the words are on the screen. */
function nearLine(words, at, step) {
  const middle = (box) => (box.left + box.right) / 2;
  const here = words[at].getClientRects()[0];
  if (!here) return at;
  let [best, distance, line] = [at, Infinity, null];
  for (let atom = at + step; atom >= 0 && atom < words.length; atom += step) {
    const box = words[atom].getClientRects()[0];
    if (!box) continue;
    if (Math.abs(box.bottom - here.bottom) < here.height / 2) continue;
    line ??= box.bottom;
    if (Math.abs(box.bottom - line) > here.height / 2) break;
    const away = Math.abs(middle(box) - middle(here));
    if (away < distance) [best, distance] = [atom, away];
  }
  return best;
}
