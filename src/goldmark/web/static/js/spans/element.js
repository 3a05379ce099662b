// <token-spans>: a text whose words can be chosen by mouse, finger or keyboard, with marks under them. It knows nothing
// of protocols: it shows marks, keeps a caret and a selection, and tells its `controller` what the person asks for.
import { announce, h } from "../dom.js";
import { _ } from "../language.js";
import { combined, readings } from "../keys.js";
import { Atoms } from "./atoms.js";
import { handles, placeHandles } from "./handles.js";
import { moveOf, target } from "./moves.js";
import { Painter } from "./painter.js";
import { listenToPointer } from "./pointer.js";
import { hereWords } from "./spoken.js";
import { drawWires } from "./wires.js";

/** @typedef {import("./atoms.js").Range} Range */
/** @typedef {import("./painter.js").Mark} Mark */

/**
 * @typedef {object} Controller what a question about this text does with it
 * @property {() => void} chosen the caret, the selection or the mark under it has changed
 * @property {() => void} settled a mouse has finished choosing
 * @property {(command: string, event: KeyboardEvent) => boolean} command a key was pressed; whether it was used
 * @property {(mark: string, range: Range) => void} reshape a mark was given another extent
 */

const isLongWord = (atoms, atom) => atoms.word(atom).length > 1 && TALL.test(atoms.word(atom));
const LONG = 3000; // atoms from which on lines out of view are not laid out
const TALL = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const WORKED_ON = new Set(["own", "suggested"]); // marks that the keys of a mark are for
const COMMANDS = {
  Enter: "edit",
  Delete: "remove",
  Backspace: "remove",
  Escape: "leave",
  "]": "longer",
  "[": "shorter",
  "{": "earlier",
  "}": "later",
  "+": "link",
};

export class TokenSpans extends HTMLElement {
  /** @type {Map<string, Mark[]>} */ #sources = new Map();
  /** @type {Controller | null} */ #controller = null;
  #current = ""; // the id of the mark that is being worked on
  #hovered = "";
  caret = 0;
  anchor = 0;
  choosing = false; // is any word wanted now, also a marked one?
  explicit = false; // were words chosen, or does the caret only pass?

  /**
   * @param {import("./atoms.js").ShownText} text
   * @param {{by: "token" | "character", name: string, markable: boolean}} options
   */
  load(text, { by, name, markable }) {
    this.atoms = new Atoms(text, by);
    this.name = name;
    this.sentences = this.atoms.sentences();
    this.firstFree = Math.min(this.atoms.promptEnd(), Math.max(this.atoms.length - 1, 0));
    this.caret = this.anchor = this.firstFree;
    this.box = h("div", { class: TALL.test(text.characters) ? "words tall" : "words", lang: text.language || null });
    // Words of a script without spaces: their edges must be seen, because only whole words can be marked.
    this.box.classList.toggle("segmented", by === "token" && text.tokens.some((token, atom) => isLongWord(this.atoms, atom)));
    this.replaceChildren(this.box);
    this.painter = new Painter(this.atoms, this.box);
    if (text.focus) this.#offerWhole();
    this.classList.toggle("long", this.atoms.length > LONG);
    this.classList.toggle("markable", markable);
    if (markable && this.atoms.length) this.#makeMarkable();
  }

  #offerWhole() {
    this.classList.add("focused-part");
    const more = h(
      "button",
      {
        type: "button",
        class: "quiet more no-print",
        onclick: () => {
          const whole = !this.classList.toggle("focused-part");
          more.textContent = whole ? _("Show only the passage") : _("Show the whole text");
        },
      },
      _("Show the whole text"),
    );
    this.append(more);
  }

  #makeMarkable() {
    this.cursor = h("div", {
      class: "cursor",
      tabindex: "0",
      role: "application",
      "aria-roledescription": _("marking cursor"),
      "aria-label": `${this.name}. ${_("Arrow keys move, Shift extends, a label's key marks, question mark shows all keys.")}`,
    });
    this.append(this.cursor);
    this.cursor.addEventListener("focus", () => this.#focused());
    this.cursor.addEventListener("blur", () => this.classList.remove("listening"));
    this.cursor.addEventListener("keydown", (event) => this.#key(event));
    this.box.append(...handles());
    this.box.addEventListener("pointerdown", () => this.classList.add("by-pointer"));
    listenToPointer(this.box, {
      tap: (atom, how) => this.#tap(atom, how),
      drag: (anchor, caret, done) => {
        this.select(anchor, caret, true);
        if (done) this.takeFocus();
        if (done) this.#controller?.settled();
      },
      handled: () => this.selection ?? this.currentRange,
      reshape: (range, done) => this.#reshape(range, done),
      hover: (atom) => this.#hover(atom),
    });
    new ResizeObserver(() => this.#decorate()).observe(this.box);
  }

  /** Who is told now; several questions can take turns on one text. @param {Controller | null} controller */
  set controller(controller) {
    this.#controller = controller;
  }

  get controller() {
    return this.#controller;
  }

  /** Show these marks for one source (a question); others stay. @param {string} source @param {Mark[]} marks */
  show(source, marks) {
    this.#sources.set(source, marks);
    this.painter.paint([...this.#sources.values()].flat());
    this.#decorate();
  }

  /** The words that were chosen, or nothing if the caret only passes. @returns {Range | null} */
  get selection() {
    if (!this.explicit) return null;
    return { start: Math.min(this.caret, this.anchor), end: Math.max(this.caret, this.anchor) + 1 };
  }

  /** The shortest mark under the caret that can be worked on, or nothing. @returns {Mark | null} */
  get under() {
    const here = (this.painter.covered.get(this.caret) ?? []).filter((mark) => WORKED_ON.has(mark.role));
    return here.reduce((best, mark) => (!best || mark.end - mark.start <= best.end - best.start ? mark : best), null);
  }

  get currentRange() {
    return [...this.#sources.values()].flat().find((mark) => mark.id === this.#current) ?? null;
  }

  /** Work on this mark, or on none. @param {string} id */
  set current(id) {
    this.#current = id;
    this.#decorate();
  }

  /** @param {number} anchor @param {number} caret @param {boolean} explicit */
  select(anchor, caret, explicit) {
    [this.anchor, this.caret, this.explicit] = [anchor, caret, explicit];
    this.#decorate();
    this.#controller?.chosen();
  }

  /** Put the caret on a mark, and bring it into view. @param {number} atom */
  goTo(atom) {
    this.select(atom, atom, false);
    this.painter.words[atom]?.scrollIntoView({ block: "nearest" });
  }

  takeFocus() {
    this.#placeCursor();
    this.cursor?.focus({ preventScroll: true });
  }

  #focused() {
    this.classList.add("listening");
    this.#reveal();
    announce(this.#here());
  }

  #tap(atom, { extend, touch }) {
    this.takeFocus();
    if (extend) return this.select(this.anchor, atom, true);
    // A second tap on another word closes a range that the first one began; the same word again lets go.
    if (touch && this.explicit)
      return atom === this.anchor && atom === this.caret
        ? this.select(atom, atom, false)
        : this.select(this.anchor, atom, true);
    this.caret = atom;
    this.select(atom, atom, this.choosing || !this.under);
    return touch ? undefined : this.#controller?.settled();
  }

  #reshape(range, done) {
    if (this.explicit) return this.select(range.start, range.end - 1, true);
    this.painter.highlight(range, "chosen");
    if (done) this.#controller?.reshape(this.#current, range);
  }

  #hover(atom) {
    const marks = atom === null ? [] : (this.painter.covered.get(atom) ?? []);
    const id = marks.at(-1)?.id ?? "";
    if (id === this.#hovered) return;
    this.#hovered = id;
    this.box.title = marks
      .map((mark) => mark.title)
      .filter(Boolean)
      .join(", ");
    this.#decorate();
  }

  #key(event) {
    if (event.isComposing) return;
    this.classList.remove("by-pointer"); // handles are for those who can grab them
    const rightToLeft = getComputedStyle(this.painter.words[this.caret].closest(".line")).direction === "rtl";
    const move = moveOf(event, rightToLeft);
    if (move) this.#move(move, event);
    else if (event.altKey && ["ArrowDown", "ArrowUp"].includes(event.key))
      this.#jump(event.key === "ArrowDown" ? 1 : -1, event);
    else if (combined(event)) return;
    else if (event.key === " ") {
      event.preventDefault();
      this.select(this.caret, this.caret, !this.explicit);
      announce(this.explicit ? _("Chosen: {words}", { words: this.atoms.word(this.caret) }) : _("Nothing chosen"));
    } else {
      const commands = readings(event).map((key) => COMMANDS[key] ?? (key.length === 1 ? key : ""));
      if (commands.some((command) => command && this.#controller?.command(command, event))) {
        event.preventDefault();
        event.stopPropagation();
      }
    }
  }

  #move(move, event) {
    event.preventDefault();
    const to = target(move, this.caret, {
      length: this.atoms.length,
      sentences: this.sentences,
      words: this.painter.words,
    });
    if (event.shiftKey) this.select(this.explicit ? this.anchor : this.caret, to, true);
    else this.select(to, to, false);
    this.#reveal();
    announce(event.shiftKey ? _("Chosen: {words}", { words: this.atoms.read(this.selection) }) : this.#here());
  }

  /** To the next or previous mark. */
  #jump(step, event) {
    event.preventDefault();
    const starts = [...this.#sources.values()]
      .flat()
      .filter((mark) => WORKED_ON.has(mark.role))
      .map((mark) => mark.start)
      .sort((one, other) => one - other);
    const found =
      step > 0 ? starts.find((start) => start > this.caret) : starts.findLast((start) => start < this.caret);
    if (found === undefined) return announce(step > 0 ? _("No mark further on") : _("No mark further back"));
    this.goTo(found);
    return announce(this.#here());
  }

  /** What a person who cannot see the caret needs to know. */
  #here() {
    const marks = (this.painter.covered.get(this.caret) ?? []).map((mark) => mark.title).filter(Boolean);
    return hereWords(this.atoms, this.caret, marks);
  }

  #reveal() {
    this.#placeCursor();
    this.painter.words[this.caret]?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  #placeCursor() {
    const word = this.painter.words[this.caret];
    if (this.cursor && word) this.cursor.style.top = `${word.offsetTop}px`;
  }

  /** Everything about the text that is not a mark: caret, selection, handles, the current mark, its wires. */
  #decorate() {
    const { painter } = this;
    if (!this.cursor) return;
    painter.highlight({ start: this.caret, end: this.caret + 1 }, "caret");
    painter.highlight(this.selection, "chosen");
    const marks = [...this.#sources.values()].flat();
    const lit = this.#hovered || this.#current;
    const main = lit.split("→")[0];
    painter.highlight(marks.find((mark) => mark.id === main) ?? null, "lit");
    const from = marks.find((mark) => mark.id === main);
    const links = from ? marks.filter((mark) => mark.role === "link" && mark.id.startsWith(`${main}→`)) : [];
    drawWires(
      this,
      links.map((link) => ({ from: painter.words[from.start], to: painter.words[link.start], tone: from.tone })),
    );
    placeHandles(this.box, this.selection ?? this.currentRange, painter.words);
  }
}

customElements.define("token-spans", TokenSpans);
