// The text as it would read: what is marked struck out, what should stand there beside it, while it is being typed.
import { h } from "../dom.js";
import { _ } from "../language.js";

/** @typedef {import("./answers.js").Span} Span */

export class Corrected {
  /**
   * @param {import("./atoms.js").Atoms} atoms
   * @param {string} attribute which attribute of a mark replaces its words
   */
  constructor(atoms, attribute) {
    Object.assign(this, { atoms, attribute });
    this.lines = h("div", { class: "corrected-lines" });
    this.element = h(
      "section",
      { class: "corrected", hidden: true, "aria-label": _("The corrected text") },
      h("h3", { class: "corrected-title" }, _("Corrected")),
      this.lines,
    );
  }

  /**
   * Draw the sentences in which something changes.
   * @param {Array<Span & {range: import("./atoms.js").Range}>} spans in the order of the text, with their atoms
   * @param {(span: Span) => boolean} deletes does this mark without a correction mean that its words go?
   */
  update(spans, deletes) {
    const changes = spans.filter((span) => span[this.attribute]?.trim() || deletes(span));
    this.element.hidden = changes.length === 0;
    const touched = this.atoms
      .sentences()
      .filter((sentence) => changes.some(({ range }) => range.start < sentence.end && sentence.start < range.end));
    this.lines.replaceChildren(...merged(touched, changes).map((part) => this.#line(part, changes)));
  }

  #line(sentence, changes) {
    const { atoms } = this;
    const parts = [];
    let place = atoms.places[sentence.start][0];
    for (const span of changes) {
      const { start, end } = span.range;
      const [from, to] = [atoms.places[start][0], atoms.places[end - 1][1]];
      if (from < place || start >= sentence.end) continue; // nested in another, or of another sentence
      parts.push(atoms.slice(place, from), h("del", {}, atoms.slice(from, to)));
      const instead = span[this.attribute]?.trim();
      if (instead) parts.push(h("ins", {}, instead));
      place = to;
    }
    parts.push(atoms.slice(place, atoms.places[sentence.end - 1][1]));
    return h("p", { dir: "auto" }, parts);
  }
}

/** Sentences that one mark joins are read as one. */
function merged(sentences, changes) {
  const joined = [];
  for (const sentence of sentences) {
    const last = joined.at(-1);
    const bridged = last && changes.some(({ range }) => range.start < last.end && range.end > sentence.start);
    if (bridged) last.end = sentence.end;
    else joined.push({ ...sentence });
  }
  return joined;
}
