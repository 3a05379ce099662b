// `spans`: mark passages of a text. This module joins the text, the palette of labels and the cards of the marks.
import { announce, h } from "../dom.js";
import { inOrder, labelsByPath, newSpanId, problemsOf, tidySpan, whyNot } from "../spans/answers.js";
import { Cards } from "../spans/cards.js";
import { Corrected } from "../spans/corrected.js";
import { drawnId, drawnMarks } from "../spans/drawn.js";
import { Picker } from "../spans/picker.js";
import { asSpans, suggestedMarks, SuggestionList, undecided } from "../spans/suggestions.js";
import { register } from "./registry.js";

const dismissedKey = (question) => `${question.id}.dismissed`;
const offeredTo = (question, host) => asSpans((host.decides && host.unit.texts[question.of]?.suggested) || []);

class SpansWidget {
  beside = true;
  /** @type {import("../spans/answers.js").Span[]} */ spans = [];
  current = ""; // the span that is being worked on
  linking = null; // {span, link}: the next choice of words is linked to this span
  readOnly = false;
  problems = [];
  /** @type {string[]} */ dismissed = []; // ids of suggestions

  constructor(question, host) {
    Object.assign(this, { question, host, labels: labelsByPath(question), offered: offeredTo(question, host) });
    this.text = host.text(question.of);
    this.picker = new Picker(question, {
      label: (path) => this.label(path),
      join: () => this.finishLink(),
      describe: () => this.enter(),
      remove: () => this.remove(this.current),
      done: () => this.done(),
    });
    this.cards = new Cards(question, {
      open: (id) => this.open(id, true),
      remove: (id) => this.remove(id),
      set: (id, attribute, value, part) =>
        this.change(id, { [attribute]: value }, part && `${question.id}.${id}.${part}`),
      link: (id, link) => this.startLink(id, link),
      unlink: (id, link, index) => this.unlink(id, link, index),
      back: () => this.text.takeFocus(),
      next: (id, attribute) => this.nextPart(id, attribute),
      read: (place) => this.text.atoms.read(this.atoms(place)),
      host,
    });
    this.suggestions = new SuggestionList(question, {
      open: (id) => this.open(id, true),
      accept: (id) => this.accept(id),
      dismiss: (id) => this.remove(id),
      recall: (suggested) => this.host.say(this.dismissed.filter((one) => one !== suggested)),
      read: (place) => this.text.atoms.read(this.atoms(place)),
    });
    this.element = h(
      "div",
      { class: "spans-answer", onfocusin: () => this.activate() },
      this.picker.element,
      this.palette?.help,
      this.suggestions.element,
      this.cards.empty,
      this.cards.element,
    );
    if (question.rewrites) {
      this.corrected = new Corrected(this.text.atoms, question.rewrites);
      this.text.append(this.corrected.element);
    }
    this.activate();
  }

  /** From now on keys in the text are for this question. */
  activate() {
    this.text.controller = this;
  }

  get palette() {
    return this.picker.palette;
  }

  atoms(place) {
    return this.text.atoms.fromAnswer(place, this.question.by);
  }

  place(range) {
    return this.text.atoms.toAnswer(range, this.question.by);
  }

  /** The words that were chosen, or the one at the caret. */
  #words() {
    return this.text.selection ?? { start: this.text.caret, end: this.text.caret + 1 };
  }

  get judgedFrom() {
    const end = this.text.atoms.promptEnd();
    return end ? this.place({ start: 0, end }).end : 0;
  }

  update(value, { readOnly, problems, said }) {
    Object.assign(this, { spans: value ?? [], readOnly, problems, said, dismissed: said ?? [] });
    if (!this.span(this.current)) this.current = "";
    if (this.linking && !this.span(this.linking.span)) this.linking = null;
    const toAtoms = (place) => this.atoms(place);
    this.text.show(this.question.id, [
      ...drawnMarks(this.question, this.spans, toAtoms),
      ...suggestedMarks(this.question, this.left, toAtoms),
    ]);
    this.text.current = this.current && drawnId(this.question, this.current);
    this.corrected?.update(
      inOrder(this.spans).map((span) => ({ ...span, range: this.atoms(span) })),
      (span) => Boolean(span.label) && !problemsOf(this.question, [span], this.host).length,
    );
    this.#refresh();
  }

  focus(part) {
    const [id, attribute] = (part ?? "").split(".");
    if (!part && this.left.length) this.open(this.left[0].id, true);
    if (!this.span(id)) return this.text.takeFocus();
    this.open(id, false);
    return this.cards.focus(id, attribute);
  }

  /** A mark, or a suggestion that is still to be decided. */
  span(id) {
    return this.spans.find((span) => span.id === id) ?? this.suggestion(id);
  }

  suggestion(id) {
    return this.left.find((one) => one.id === id);
  }

  /** The suggestions that are still to be decided. */
  get left() {
    return undecided(this.offered, this.spans, this.dismissed);
  }

  #refresh() {
    const { current, readOnly, problems, linking, text } = this;
    const chosen = text.selection ? text.atoms.read(text.selection) : "";
    const link = this.question.links.find((one) => one.id === linking?.link);
    this.picker.update({ chosen, span: this.span(current), link, readOnly });
    text.choosing = Boolean(linking); // every word may be linked, marked or not
    this.suggestions.update({ offered: this.offered, left: this.left, dismissed: this.dismissed, current, readOnly });
    this.cards.update(this.spans, { current, readOnly, problems, linking: linking?.span ?? "" });
    if (current !== this.revealed) this.cards.reveal(current);
    this.revealed = current;
  }

  // What the text reports.

  chosen() {
    const { under, selection } = this.text;
    const prefix = `${this.question.id}/`;
    if (this.linking) this.#refresh();
    else this.open(!selection && under?.id.startsWith(prefix) ? under.id.slice(prefix.length) : "", false);
  }

  /** A mouse has chosen words for good; a finger may still tap a last word, and the keyboard says so with Enter. */
  settled() {
    if (this.linking && this.text.selection) this.finishLink();
  }

  command(name) {
    if (this.readOnly) return false;
    const size = { longer: [0, 1], shorter: [0, -1], earlier: [-1, 0], later: [1, 0] }[name];
    if (size) return this.resize(...size);
    const named = {
      edit: () => this.enter(),
      remove: () => Boolean(this.current) && this.remove(this.current),
      leave: () => this.leave(),
      link: () => Boolean(this.current) && this.startLink(this.current, this.#unfilled(this.span(this.current))),
    }[name];
    if (named) return named() !== false;
    return !this.linking && (this.palette?.key(name) ?? false);
  }

  reshape(drawnId, range) {
    const id = drawnId.slice(this.question.id.length + 1);
    const place = { id, ...this.place(range) };
    if (this.readOnly || this.refuse(place)) return this.update(this.spans, this);
    return this.change(id, this.place(range));
  }

  // What a person does.

  enter() {
    if (this.linking) return this.finishLink();
    if (this.suggestion(this.current)) return this.accept(this.current);
    if (this.current) return this.cards.focus(this.current);
    if (this.question.labels?.later) return this.label("");
    return this.palette ? this.tell("Press the key of a label, or choose one from the list.") : this.label("");
  }

  leave() {
    if (this.palette?.close()) return true;
    if (this.linking) {
      this.linking = null;
      this.#refresh();
      return true;
    }
    if (!this.text.explicit) return false;
    this.text.select(this.text.caret, this.text.caret, false);
    return true;
  }

  /** Let go of the words or the mark. */
  done() {
    this.linking = null;
    this.text.select(this.text.caret, this.text.caret, false);
    this.open("", false);
  }

  /** Give the chosen words a label, or the current mark another one. */
  label(path) {
    const { text } = this;
    if (this.readOnly) return undefined;
    if (this.current && !text.selection) {
      if (!path) return undefined;
      const fresh = !this.span(this.current).label;
      this.change(this.current, { label: path });
      announce(`Changed to ${this.labels.get(path).title}`);
      const [first] = this.question.attributes;
      return fresh && this.question.labels.later ? this.cards.focusOpen(this.current, first?.id) : undefined;
    }
    if (!text.selection && !text.classList.contains("listening")) return this.tell("First choose words in the text.");
    const range = this.#words();
    const place = this.place(range);
    if (this.refuse(place)) return undefined;
    const id = newSpanId(this.spans);
    text.select(range.end - 1, range.end - 1, false);
    this.current = id;
    this.host.set(inOrder([...this.spans, { id, ...place, ...(path ? { label: path } : {}) }]));
    announce(`Marked ${text.atoms.read(range)} as ${this.labels.get(path)?.title ?? "marked"}`);
    text.takeFocus();
    const wanted = this.question.links.find((link) => link.at_least > 0);
    return wanted && this.startLink(id, wanted.id);
  }

  open(id, andShow) {
    if (id && andShow) this.text.goTo(this.atoms(this.span(id)).start);
    this.current = id;
    this.text.current = id && drawnId(this.question, id);
    this.#refresh();
  }

  change(id, changes, part) {
    if (this.suggestion(id)) return this.adopt(id, changes);
    const changed = this.spans.map((span) => (span.id === id ? { ...span, ...changes } : span));
    return this.host.set(changed, part);
  }

  /** Make a suggestion one's own, as it is or changed. @returns {string} the id of the mark, if it could be */
  adopt(id, changes = {}) {
    const mark = { ...this.suggestion(id), ...changes, id: newSpanId(this.spans) };
    if (this.refuse({ start: mark.start, end: mark.end })) return "";
    this.current = mark.id;
    this.host.set(inOrder([...this.spans, mark]));
    return mark.id;
  }

  accept(id) {
    const words = this.text.atoms.read(this.atoms(this.suggestion(id)));
    if (this.readOnly || !this.adopt(id)) return;
    announce(`Accepted the suggestion on ${words}`);
    this.#toNextSuggestion();
  }

  #dismiss(suggestion) {
    this.host.say([...this.dismissed, suggestion.suggested]);
    announce(`Dismissed the suggestion on ${this.text.atoms.read(this.atoms(suggestion))}`);
    this.#toNextSuggestion();
  }

  /** Deciding one leads to the next, so that a list of suggestions takes one key each. */
  #toNextSuggestion() {
    const { left } = this;
    const next = left.find((one) => this.atoms(one).start >= this.text.caret) ?? left[0];
    if (next) this.open(next.id, true);
    this.text.takeFocus();
  }

  remove(id) {
    const span = this.span(id);
    if (!span || this.readOnly) return;
    this.current = "";
    if (this.suggestion(id)) {
      this.#dismiss(span);
      return;
    }
    this.host.set(this.spans.filter((one) => one.id !== id));
    announce(`Removed the mark on ${this.text.atoms.read(this.atoms(span))}`);
    this.text.takeFocus();
  }

  /** Where labels come later: from one part of a mark to the next, the label after the first attribute. */
  nextPart(id, attribute) {
    if (!this.question.labels?.later) return false;
    if (!this.span(id).label && attribute === this.question.attributes[0].id) this.palette.focus();
    else if (!this.cards.focusOpen(id, attribute)) this.text.takeFocus();
    return true;
  }

  /** A key while the labels have the focus. */
  key(pressed) {
    return !this.readOnly && Boolean(this.palette?.hasFocus) && this.palette.key(pressed);
  }

  resize(atStart, atEnd) {
    const span = this.span(this.current);
    if (!span) return false;
    const old = this.atoms(span);
    const range = { start: Math.max(old.start + atStart, 0), end: Math.min(old.end + atEnd, this.text.atoms.length) };
    if (range.start >= range.end || this.refuse({ id: span.id, ...this.place(range) })) return true;
    this.text.caret = this.text.anchor = Math.min(Math.max(this.text.caret, range.start), range.end - 1);
    this.change(span.id, this.place(range));
    announce(`The mark is now ${this.text.atoms.read(range)}`);
    return true;
  }

  #unfilled({ links }) {
    return this.question.links.find((link) => (links?.[link.id]?.length ?? 0) < link.at_most)?.id;
  }

  startLink(id, link) {
    if (!link) return false;
    this.open(id, false);
    this.linking = { span: id, link };
    this.text.takeFocus();
    this.#refresh();
    announce(this.picker.say.textContent);
    return true;
  }

  finishLink() {
    const { span: id, link } = this.linking;
    const range = this.#words();
    const span = this.span(id);
    const places = [...(span.links?.[link] ?? []), this.place(range)];
    this.linking = null;
    this.text.select(range.start, range.start, false);
    this.current = id;
    this.change(id, { links: { ...span.links, [link]: places } });
    announce(`Linked ${this.text.atoms.read(range)}`);
    this.open(id, false);
    if (this.question.labels?.later && !span.label) this.cards.focus(id);
    return true;
  }

  unlink(id, link, index) {
    const span = this.span(id);
    this.change(id, { links: { ...span.links, [link]: span.links[link].filter((_, at) => at !== index) } });
  }

  refuse(place) {
    const why = whyNot(this.question, this.spans, place, this.judgedFrom);
    if (why) this.tell(why);
    return why !== "";
  }

  tell(words) {
    this.picker.tell(words);
    announce(words);
  }
}

/** Every suggestion must be decided: leaving one says nothing, and nobody could tell why. */
function checked(question, spans, host, answers) {
  const left = undecided(offeredTo(question, host), spans, answers[dismissedKey(question)] ?? []).length;
  const what = left === 1 ? "One suggestion is" : `${left} suggestions are`;
  const open = { what: `${what} not decided yet: accept (Enter) or dismiss (Delete) each.` };
  return [...(left ? [open] : []), ...problemsOf(question, spans, host)];
}

register("spans", {
  create: (question, host) => new SpansWidget(question, host),
  blank: () => [],
  tidy: (question, spans) => spans.map((span) => tidySpan(question, span)),
  check: checked,
  saidBeside: dismissedKey,
});
