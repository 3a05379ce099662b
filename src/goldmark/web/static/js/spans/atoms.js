// A text cut into the pieces that can be marked. The server counts Unicode code points, the browser UTF-16 units: the
// conversion happens here, once, and everything else speaks of atoms (0, 1, 2 ...) or of the answer's own positions.

/** @typedef {{start: number, end: number}} Range end exclusive */

/**
 * @typedef {object} ShownText what the server sends
 * @property {string} characters
 * @property {Array<[number, number]>} tokens in code points
 * @property {Array<[number, number]>} sentences in tokens
 * @property {[number, number] | null} prompt in tokens
 * @property {[number, number] | null} focus in tokens
 * @property {Array<{start: number, end: number, label: string}>} given in tokens
 * @property {string} language
 */

/** Where each code point starts in UTF-16; one more entry for the end. */
export function codePointStarts(characters) {
  const starts = new Uint32Array(characters.length + 1);
  let count = 0;
  for (let at = 0; at < characters.length; at += characters.codePointAt(at) > 0xffff ? 2 : 1) starts[count++] = at;
  starts[count++] = characters.length;
  return starts.subarray(0, count);
}

export class Atoms {
  /**
   * @param {ShownText} text
   * @param {"token" | "character"} by what the finest question of this text marks
   */
  constructor(text, by) {
    this.text = text;
    this.by = by;
    this.units = codePointStarts(text.characters);
    /** @type {Array<[number, number]>} the code points of each atom */
    this.places = by === "token" ? text.tokens : graphemes(text.characters);
    this.length = this.places.length;
  }

  /** The characters between two code points. */
  slice(start, end) {
    return this.text.characters.slice(this.units[start], this.units[end]);
  }

  /** @param {number} atom */
  word(atom) {
    return this.slice(...this.places[atom]);
  }

  /** What a range of atoms reads, with what lies between them. */
  read(/** @type {Range} */ { start, end }) {
    return this.slice(this.places[start][0], this.places[end - 1][1]);
  }

  /** The characters before an atom, back to the atom before it; `length` asks for what follows the last one. */
  gap(atom) {
    const from = atom === 0 ? 0 : this.places[atom - 1][1];
    return this.slice(from, atom === this.length ? this.units.length - 1 : this.places[atom][0]);
  }

  /** Positions of an answer (tokens or characters) as atoms. @returns {Range} */
  fromAnswer(/** @type {Range} */ { start, end }, by) {
    if (by === this.by && by === "token") return { start, end };
    const [first, last] = by === "token" ? [this.text.tokens[start][0], this.text.tokens[end - 1][1]] : [start, end];
    return { start: this.#at(first), end: this.#at(last - 1) + 1 };
  }

  /** Atoms as positions of an answer; a question by token gets whole tokens. @returns {Range} */
  toAnswer(/** @type {Range} */ { start, end }, by) {
    if (by === this.by && by === "token") return { start, end };
    const [first, last] = [this.places[start][0], this.places[end - 1][1]];
    if (by === "character") return { start: first, end: last };
    const { tokens } = this.text;
    const from = firstWhere(tokens.length, (token) => tokens[token][1] > first);
    const to = firstWhere(tokens.length, (token) => tokens[token][0] >= last);
    return { start: Math.min(from, tokens.length - 1), end: Math.max(to, from + 1) };
  }

  /** The atom that holds a code point, or the next one. */
  #at(point) {
    return Math.min(
      firstWhere(this.length, (atom) => this.places[atom][1] > point),
      this.length - 1,
    );
  }

  /** Sentences as ranges of atoms. @returns {Range[]} */
  sentences() {
    return this.text.sentences.map(([start, end]) => this.fromAnswer({ start, end }, "token"));
  }

  /** How many leading atoms are the prompt, which is read but not marked. */
  promptEnd() {
    const { prompt } = this.text;
    return prompt ? this.fromAnswer({ start: prompt[0], end: prompt[1] }, "token").end : 0;
  }
}

/** What a reader takes for one character, white space left out, as pairs of code points. */
function graphemes(characters) {
  const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
  const places = [];
  let at = 0;
  for (const { segment } of segmenter.segment(characters)) {
    const length = [...segment].length;
    if (segment.trim() !== "") places.push(/** @type {[number, number]} */ ([at, at + length]));
    at += length;
  }
  return places;
}

/** The first of 0..count-1 for which a test that turns from false to true holds; `count` if none. */
export function firstWhere(count, test) {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (test(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
