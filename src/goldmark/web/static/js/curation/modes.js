// What takes more than one key: moving the ends of a mark, placing a new one, where to split, which means the same.

/** @typedef {{start: number, end: number}} Range */

const within = (value, low, high) => Math.min(Math.max(value, low), high);

const HELP = {
  add: "A new mark. Arrows move it, with Shift they stretch it; a category's key keeps it. Or tap its words.",
  link: "Which words belong to it? Arrows move there, with Shift they stretch it; Enter keeps it. Or tap the words.",
  span: "Arrows move its end, with Shift its start. Enter keeps it.",
};

/** Ends that move. Of a mark that is there, arrows move the end, with Shift the start; another is placed first. */
export class Ends {
  /** @param {"span" | "add" | "link"} kind @param {Range} place @param {{first: number, last: number}} rules */
  constructor(kind, place, rules, role = "") {
    this.kind = kind;
    this.rules = rules;
    this.role = role;
    this.place = { start: place.start, end: place.end };
    this.placed = kind !== "span";
    this.fresh = this.placed; // the first touch puts it somewhere, the next ones stretch it
  }

  get help() {
    return HELP[this.kind];
  }

  /** @param {number} by @param {boolean} shift */
  arrow(by, shift) {
    const { first, last } = this.rules;
    const { start, end } = this.place;
    if (this.placed && !shift) {
      const length = end - start;
      const moved = within(start + by, first, last - length);
      this.place = { start: moved, end: moved + length };
    } else if (this.placed) this.place.end = within(end + by, start + 1, last);
    else if (shift) this.place.start = within(start + by, first, end - 1);
    else this.place.end = within(end + by, start + 1, last);
    this.fresh = false;
  }

  /** @param {number} atom */
  touch(atom) {
    if (atom < this.rules.first) return;
    const { start, end } = this.place;
    if (this.fresh) this.place = { start: atom, end: atom + 1 };
    else if (atom < start) this.place = { start: atom, end };
    else if (atom >= end) this.place = { start, end: atom + 1 };
    else this.place = { start, end: atom + 1 };
    this.fresh = false;
  }
}

/** Where one mark becomes two. */
export class Cut {
  kind = "split";
  help = "Arrows move the place where the second mark begins. Enter splits it there.";

  /** @param {Range} whole */
  constructor(whole) {
    this.whole = whole;
    this.at = whole.start + Math.ceil((whole.end - whole.start) / 2);
  }

  get place() {
    return { start: this.at, end: this.whole.end };
  }

  arrow(/** @type {number} */ by) {
    this.at = within(this.at + by, this.whole.start + 1, this.whole.end - 1);
  }

  touch(/** @type {number} */ atom) {
    this.at = within(atom, this.whole.start + 1, this.whole.end - 1);
  }
}

/** Which other mark means the same. */
export class Pair {
  kind = "same";
  help = "Which other mark means the same? Go to it with j and k, or choose it in the list. Enter joins them.";

  /** @param {import("./fold.js").Entry[]} entries @param {string} mark */
  constructor(entries, mark) {
    this.entries = entries.filter((one) => one.id !== mark);
    const near = entries.findIndex((one) => one.id === mark);
    this.index = Math.min(near, this.entries.length - 1);
  }

  get other() {
    return this.entries[this.index];
  }

  choose(/** @type {string} */ id) {
    this.index = Math.max(
      this.entries.findIndex((one) => one.id === id),
      0,
    );
  }

  get place() {
    return this.other;
  }

  arrow(/** @type {number} */ by) {
    this.index = within(this.index + by, 0, this.entries.length - 1);
  }

  touch(/** @type {number} */ atom) {
    const hit = this.entries.findIndex((one) => one.start <= atom && atom < one.end);
    if (hit >= 0) this.index = hit;
  }
}
