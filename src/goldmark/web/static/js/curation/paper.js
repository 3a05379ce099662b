// The text once: the proposal as underlines with their letters, and every annotator's marks as thin lines below it.
import { h } from "../dom.js";
import { Atoms } from "../spans/atoms.js";
import { labelsByPath } from "../spans/answers.js";
import { Painter } from "../spans/painter.js";
import { live } from "./fold.js";

const LANE = 10; // pixels from one annotator's line to the next
const SHORTEST = 15; // a letter and a bit of line

/** Names as short as they can be and still differ. @param {string[]} names @returns {Map<string, string>} */
export function initials(names) {
  const found = new Map();
  for (const length of [1, 2, 3]) {
    const short = names.map((name) => [...name].slice(0, length).join(""));
    if (new Set(short).size === names.length) return new Map(names.map((name, index) => [name, short[index]]));
  }
  names.forEach((name, index) => found.set(name, String(index + 1)));
  return found;
}

export class Paper {
  /** @param {any} config @param {(atom: number) => void} onWord */
  constructor(config, onWord) {
    this.config = config;
    this.labels = labelsByPath(config.question);
    this.atoms = new Atoms(config.text, "token");
    this.short = initials(config.people);
    this.words = h("div", { class: "words", lang: config.text.language || null });
    this.lines = h("div", { class: "people-lines", "aria-hidden": "true" });
    this.element = h(
      "section",
      { class: "paper card", "aria-label": "Text" },
      this.#legend(),
      h("div", { class: "sheet" }, this.words, this.lines),
    );
    this.element.style.setProperty("--people", String(config.people.length));
    this.painter = new Painter(this.atoms, this.words);
    this.words.addEventListener("click", (event) => {
      const word = event.target instanceof Element ? event.target.closest(".w") : null;
      if (word && !window.getSelection()?.toString()) onWord(Number(/** @type {HTMLElement} */ (word).dataset.i));
    });
    new ResizeObserver(() => this.#drawLines()).observe(this.words);
    window.matchMedia("print").addEventListener("change", () => this.#drawLines());
  }

  #legend() {
    const one = (name) =>
      h(
        "li",
        {},
        h("span", { class: "initial", "aria-hidden": "true" }, this.short.get(name)),
        h("bdi", { class: this.short.get(name) === name ? "sr-only" : null }, name),
        h("span", { class: "soft number" }, ` ${this.config.marks[name].length}`),
        h("span", { class: "sr-only" }, " marks"),
      );
    return h("ul", { class: "people-key", "aria-label": "Whose lines these are" }, this.config.people.map(one));
  }

  /** @param {import("./fold.js").Entry} entry */
  quote(entry) {
    return this.atoms.read(entry);
  }

  /** @param {import("./fold.js").State} state */
  paint(state) {
    const shown = state.entries.filter(live).flatMap((entry) => {
      const label = this.labels.get(entry.label);
      const { id, start, end } = entry;
      const look = { tone: label?.tone ?? 8, title: entry.label };
      const links = entry.links.map((link, index) => {
        const place = { id: `${id}→${index}`, start: link.start, end: link.end };
        return { ...look, ...place, badge: `→${label?.full_mark ?? ""}`, role: "link" };
      });
      return [{ ...look, id, start, end, badge: label?.full_mark ?? "", role: "own" }, ...links];
    });
    this.painter.paint(/** @type {any} */ (shown));
    const open = new Set(
      state.entries.filter((one) => one.status === "open").flatMap(({ start, end }) => range(start, end)),
    );
    this.painter.words.forEach((word, atom) => word.classList.toggle("undecided", open.has(atom)));
  }

  /** @param {{start: number, end: number} | null} place @param {string} name */
  light(place, name) {
    this.painter.highlight(place, name);
  }

  /** Have a place in view. */
  reveal(/** @type {{start: number}} */ { start }) {
    this.painter.words[start]?.scrollIntoView({ block: "nearest" });
  }

  /** The tokens that are selected with the mouse, if any. */
  selected() {
    const selection = window.getSelection();
    if (!selection || selection.isCollapsed || !selection.rangeCount) return null;
    const chosen = selection.getRangeAt(0);
    const inside = this.painter.words.flatMap((word, atom) => (chosen.intersectsNode(word) ? [atom] : []));
    return inside.length ? { start: inside[0], end: inside[inside.length - 1] + 1 } : null;
  }

  /** Everybody's lines; only the width of the page changes them. */
  #drawLines() {
    const home = this.lines.getBoundingClientRect();
    const places = this.painter.words.map((word) => word.getBoundingClientRect());
    const parts = [];
    const margins = new Map();
    this.config.people.forEach((name, lane) => {
      for (const mark of this.config.marks[name]) {
        for (const [index, row] of rows(places, mark).entries()) {
          const top = row.bottom - home.top + 5 + lane * LANE;
          parts.push(this.#line(mark, index === 0, row, top, home.left));
          margins.set(`${Math.round(top)}`, { top, name });
        }
      }
    });
    for (const { top, name } of margins.values()) {
      const initial = h("span", { class: "margin-initial" }, this.short.get(name));
      initial.style.top = `${top}px`;
      parts.push(initial);
    }
    this.lines.replaceChildren(...parts);
  }

  #line(mark, first, row, top, left) {
    const label = this.labels.get(mark.label);
    const line = h(
      "span",
      { class: "person-line", "data-tone": label?.tone ?? 8 },
      first && h("b", {}, label?.full_mark ?? "•"),
    );
    line.style.top = `${top}px`;
    line.style.left = `${row.left - left}px`;
    line.style.width = `${Math.max(row.right - row.left, first ? SHORTEST : 0)}px`;
    return line;
  }
}

const range = (start, end) => Array.from({ length: end - start }, (_, index) => start + index);

/** A mark's tokens by the lines of the page that they stand on. */
function rows(places, { start, end }) {
  const found = [];
  for (let atom = start; atom < end; atom += 1) {
    const { left, right, bottom, height } = places[atom];
    const last = found[found.length - 1];
    if (last && Math.abs(last.bottom - bottom) < height / 2) {
      last.left = Math.min(last.left, left);
      last.right = Math.max(last.right, right);
    } else found.push({ left, right, bottom });
  }
  return found;
}
