// Draws a text and its marks. The text is built once; when marks change, only the words they touch are drawn again.
import { appendVisibly } from "./invisibles.js";
import { assignLanes, coverage } from "./lanes.js";

/**
 * @typedef {object} Mark a passage as it is drawn, in atoms
 * @property {string} id unique on this text
 * @property {number} start
 * @property {number} end
 * @property {string} badge the letters above its first word
 * @property {number} tone 1-8: colour and pattern
 * @property {"own" | "link" | "given" | "suggested"} role marked here, linked to a mark, there from the start, or
 *   proposed
 * @property {string} title what it says, such as "NAME"
 * @property {number} [lane]
 */

const LETTER = 0.42; // width of a badge's letter in em of the text, to see whether neighbours would collide
const width = (word) => [...word].reduce((sum, one) => sum + (one.codePointAt(0) > 0x2e7f ? 1 : 0.45), 0);

export class Painter {
  /** @type {HTMLElement[]} */ words = [];
  /** @type {HTMLElement[]} */ gaps = []; // gaps[i] stands before words[i], in the same line of the source
  #drawn = new Map(); // atom -> what it looks like
  #gapsDrawn = new Map();
  #lit = new Map(); // class -> the elements that have it
  /** @type {Map<number, Mark[]>} */ covered = new Map();

  /** @param {import("./atoms.js").Atoms} atoms @param {HTMLElement} box */
  constructor(atoms, box) {
    this.atoms = atoms;
    this.box = box;
    this.#build();
  }

  #build() {
    const { atoms } = this;
    const promptEnd = atoms.promptEnd();
    const focus =
      atoms.text.focus && atoms.fromAnswer({ start: atoms.text.focus[0], end: atoms.text.focus[1] }, "token");
    const lines = document.createDocumentFragment();
    let line = newLine(lines);
    for (let atom = 0; atom <= atoms.length; atom += 1) {
      const parts = atoms.gap(atom).split(/\r\n|[\n\r\u2028\u2029]/u);
      const gap = document.createElement("span");
      parts.forEach((part, index) => {
        if (index > 0) line = newLine(lines);
        if (part === "") return;
        const target = index === parts.length - 1 ? gap : document.createElement("span");
        target.className = "g";
        appendVisibly(target, part);
        line.append(target);
      });
      if (atom === atoms.length) break;
      this.gaps[atom] = gap;
      const word = document.createElement("span");
      word.className = "w";
      word.dataset.i = String(atom);
      if (atom < promptEnd) word.classList.add("prompt");
      if (focus && (atom <= focus.start || atom >= focus.end)) gap.classList.add("away");
      if (focus && (atom < focus.start || atom >= focus.end)) word.classList.add("away");
      appendVisibly(word, atoms.word(atom));
      line.append(word);
      this.words[atom] = word;
    }
    for (const one of lines.children) if (!one.firstChild) one.classList.add("blank");
    for (const one of lines.children)
      if (one.firstChild && !one.querySelector(".w:not(.away)") && focus) one.classList.add("away");
    this.box.replaceChildren(lines);
  }

  /** Draw these marks instead of the ones before. @param {Mark[]} marks */
  paint(marks) {
    const lanes = assignLanes(marks.map((mark) => Object.assign(mark, { lane: 0 })));
    this.box.style.setProperty("--lanes", String(Math.max(lanes, 1)));
    this.covered = coverage(marks);
    const [words, gaps] = [new Map(), new Map()];
    for (const [atom, here] of this.covered) {
      words.set(
        atom,
        here.map((mark) => look(mark) + (mark.start === atom ? `^${mark.badge}` : "")).join("|") + this.#tight(atom),
      );
      const through = here.filter((mark) => mark.start < atom);
      if (through.length) gaps.set(atom, through.map(look).join("|"));
    }
    for (const atom of changed(this.#drawn, words)) this.#drawWord(atom);
    for (const atom of changed(this.#gapsDrawn, gaps)) {
      const through = (this.covered.get(atom) ?? []).filter((mark) => mark.start < atom);
      this.gaps[atom].replaceChildren(...wrapped(through, (inner) => appendVisibly(inner, this.#gapText(atom))));
    }
    [this.#drawn, this.#gapsDrawn] = [words, gaps];
  }

  #gapText(atom) {
    return this.atoms
      .gap(atom)
      .split(/[\n\r\u2028\u2029]/u)
      .at(-1);
  }

  #starting(atom) {
    return (this.covered.get(atom) ?? []).filter((mark) => mark.start === atom && mark.badge);
  }

  // A badge wider than its word would run into the badge of the next word: such a word gets some air.
  #tight(atom) {
    const badge = this.#starting(atom)
      .map((mark) => mark.badge)
      .join(" ");
    const next = this.#starting(atom + 1);
    return badge && next.length && badge.length * LETTER > width(this.atoms.word(atom)) ? "~" : "";
  }

  #drawWord(atom) {
    const word = this.words[atom];
    const here = this.covered.get(atom) ?? [];
    word.replaceChildren(...wrapped(here, (inner) => appendVisibly(inner, this.atoms.word(atom))));
    word.classList.toggle("marked", here.length > 0);
    word.classList.toggle("tight", this.#tight(atom) !== "");
    const starting = this.#starting(atom);
    if (!starting.length) return;
    const badges = document.createElement("span");
    badges.className = "badges";
    badges.setAttribute("aria-hidden", "true");
    for (const mark of starting) {
      const badge = document.createElement("span");
      badge.className = `badge ${mark.role}`;
      badge.dataset.tone = String(mark.tone);
      badge.textContent = mark.badge;
      badges.append(badge);
    }
    word.append(badges);
  }

  /**
   * Give a class to exactly these atoms; the gaps between them get it too.
   * @param {import("./atoms.js").Range | null} range
   * @param {string} name
   */
  highlight(range, name) {
    const before = this.#lit.get(name) ?? [];
    const after = [];
    for (let atom = range?.start ?? 0; atom < (range?.end ?? 0); atom += 1) {
      if (atom > range.start) after.push(this.gaps[atom]);
      after.push(this.words[atom]);
    }
    for (const element of before) element.classList.remove(name);
    for (const element of after) element.classList.add(name);
    this.#lit.set(name, after);
  }
}

function newLine(lines) {
  const line = document.createElement("div");
  line.className = "line";
  line.dir = "auto";
  lines.append(line);
  return line;
}

const look = (mark) => `${mark.id}:${mark.lane}:${mark.tone}:${mark.role}`;

/** Nested underlines, one element for each mark; `fill` puts the text into the innermost. */
function wrapped(marks, fill) {
  const holder = document.createElement("span");
  let inner = holder;
  for (const mark of marks) {
    const line = document.createElement("span");
    line.className = `u ${mark.role}`;
    line.dataset.tone = String(mark.tone);
    line.style.setProperty("--lane", String(mark.lane));
    inner.append(line);
    inner = line;
  }
  fill(inner);
  return [...holder.childNodes];
}

/** Keys whose value is not the same in both. */
function changed(before, after) {
  const keys = new Set([...before.keys(), ...after.keys()]);
  return [...keys].filter((key) => before.get(key) !== after.get(key));
}
