// `spans`: mark passages of a text. This module joins the text, the palette of labels and the cards of the marks.
import { announce, h } from "../dom.js";
import { _ } from "../language.js";
import { inOrder, labelsByPath, neededAfter, newSpanId, problemsOf, tidySpan, whyNot } from "../spans/answers.js";
import { Cards } from "../spans/cards.js";
import { Corrected } from "../spans/corrected.js";
import { drawnId, drawnMarks } from "../spans/drawn.js";
import { Linking } from "../spans/linking.js";
import { Picker } from "../spans/picker.js";
import { Proposals } from "../spans/proposals.js";
import { resize } from "../spans/resize.js";
import { markedAs } from "../spans/spoken.js";
import { dismissedKey, openProblem } from "../spans/suggestions.js";
import { register } from "./registry.js";

class SpansWidget {
  beside = true;
  /** @type {import("../spans/answers.js").Span[]} */ spans = [];
  current = ""; // the span that is being worked on
  readOnly = false;
  problems = [];

  constructor(question, host) {
    Object.assign(this, { question, host, labels: labelsByPath(question) });
    this.text = host.text(question.of);
    this.proposals = new Proposals(this);
    this.linking = new Linking(this);
    this.picker = new Picker(question, {
      label: (path, byFinger) => this.label(path, byFinger),
      join: () => this.linking.finish(),
      describe: () => this.enter(),
      remove: () => this.remove(this.current),
      done: () => this.done(),
    });
    this.cards = new Cards(question, {
      open: (id) => this.open(id, true),
      remove: (id) => this.remove(id),
      set: (id, attribute, value, part) =>
        this.change(id, { [attribute]: value }, part && `${question.id}.${id}.${part}`),
      link: (id, link) => this.linking.start(id, link),
      unlink: (id, link, index) => this.linking.undo(id, link, index),
      show: (place) => this.text.goTo(this.atoms(place).start),
      back: () => this.text.takeFocus(),
      next: (id, attribute) => this.nextPart(id, attribute),
      read: (place) => this.text.atoms.read(this.atoms(place)),
      host,
    });
    this.element = h(
      "div",
      { class: "spans-answer", onfocusin: () => this.activate() },
      this.picker.element,
      this.palette?.help,
      this.proposals.list.element,
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
  words() {
    return this.text.selection ?? { start: this.text.caret, end: this.text.caret + 1 };
  }

  get judgedFrom() {
    const end = this.text.atoms.promptEnd();
    return end ? this.place({ start: 0, end }).end : 0;
  }

  update(value, { readOnly, problems, said }) {
    Object.assign(this, { spans: value ?? [], readOnly, problems, said });
    this.proposals.dismissed = said ?? [];
    if (!this.span(this.current)) this.current = "";
    this.linking.forgetUnless((id) => this.span(id));
    const toAtoms = (place) => this.atoms(place);
    this.text.show(this.question.id, [
      ...drawnMarks(this.question, this.spans, toAtoms),
      ...this.proposals.marks(toAtoms),
    ]);
    this.text.current = this.current && drawnId(this.question, this.current);
    this.corrected?.update(
      inOrder(this.spans).map((span) => ({ ...span, range: this.atoms(span) })),
      (span) => Boolean(span.label) && !problemsOf(this.question, [span], this.host).length,
    );
    this.refresh();
  }

  focus(part) {
    const [id, attribute] = (part ?? "").split(".");
    if (!part) this.proposals.openFirst();
    if (!this.span(id)) return this.text.takeFocus();
    this.open(id, false);
    return this.cards.focus(id, attribute);
  }

  /** A mark, or a suggestion that is still to be decided. */
  span(id) {
    return this.spans.find((span) => span.id === id) ?? this.proposals.find(id);
  }

  refresh() {
    const { current, readOnly, problems, linking, text } = this;
    const chosen = text.selection ? text.atoms.read(text.selection) : "";
    this.picker.update({ chosen, span: this.span(current), link: linking.rule, readOnly });
    text.choosing = linking.underway; // every word may be linked, marked or not
    this.proposals.draw(current, readOnly);
    this.cards.update(this.spans, { current, readOnly, problems, linking: linking.span });
    if (current !== this.revealed) this.cards.reveal(current);
    this.revealed = current;
  }

  // What the text reports.

  chosen() {
    const { under, selection } = this.text;
    const prefix = `${this.question.id}/`;
    if (this.linking.underway) this.refresh();
    else this.open(!selection && under?.id.startsWith(prefix) ? under.id.slice(prefix.length) : "", false);
  }

  /** A mouse has chosen words for good; a finger may still tap a last word, and the keyboard says so with Enter. */
  settled() {
    if (this.linking.underway && this.text.selection) this.linking.finish();
  }

  command(name) {
    if (this.readOnly) return false;
    const size = { longer: [0, 1], shorter: [0, -1], earlier: [-1, 0], later: [1, 0] }[name];
    if (size) return resize(this, ...size);
    const named = {
      edit: () => this.enter(),
      remove: () => Boolean(this.current) && this.remove(this.current),
      leave: () => this.leave(),
      link: () => Boolean(this.current) && this.linking.start(this.current),
    }[name];
    if (named) return named() !== false;
    return !this.linking.underway && (this.palette?.key(name) ?? false);
  }

  reshape(drawnId, range) {
    const id = drawnId.slice(this.question.id.length + 1);
    const place = { id, ...this.place(range) };
    if (this.readOnly || this.refuse(place)) return this.update(this.spans, this);
    return this.change(id, this.place(range));
  }

  // What a person does.

  enter() {
    if (this.linking.underway) return this.linking.finish();
    if (this.proposals.find(this.current)) return this.proposals.accept(this.current);
    if (this.current) return this.cards.focus(this.current);
    if (this.question.labels?.later) return this.label("");
    return this.palette ? this.tell(_("Press the key of a label, or choose one from the list.")) : this.label("");
  }

  leave() {
    if (this.palette?.close()) return true;
    if (this.linking.stop()) {
      this.refresh();
      return true;
    }
    if (!this.text.explicit) return false;
    this.text.select(this.text.caret, this.text.caret, false);
    return true;
  }

  /** Let go of the words or the mark. */
  done() {
    this.linking.stop();
    this.text.select(this.text.caret, this.text.caret, false);
    this.open("", false);
  }

  /**
   * Give the chosen words a label, or the current mark another one.
   * @param {string} path @param {boolean} [byFinger] no keyboard may jump up between two taps
   */
  label(path, byFinger = false) {
    const { text } = this;
    if (this.readOnly) return undefined;
    if (this.current && !text.selection) {
      if (!path) return undefined;
      const fresh = !this.span(this.current).label;
      this.change(this.current, { label: path });
      announce(_("Changed to {label}", { label: this.labels.get(path).title }));
      const [first] = this.question.attributes;
      return fresh && this.question.labels.later ? this.cards.focusOpen(this.current, first?.id) : undefined;
    }
    if (!text.selection && !text.classList.contains("listening")) return this.tell(_("First choose words in the text."));
    const range = this.words();
    const place = this.place(range);
    if (this.refuse(place)) return undefined;
    const id = newSpanId(this.spans);
    text.select(range.end - 1, range.end - 1, false);
    this.current = id;
    this.host.set(inOrder([...this.spans, { id, ...place, ...(path ? { label: path } : {}) }]));
    announce(markedAs(text.atoms.read(range), this.labels.get(path)?.title));
    text.takeFocus();
    const wanted = this.question.links.find((link) => link.at_least > 0);
    if (wanted) return this.linking.start(id, wanted.id);
    return byFinger ? undefined : this.describe(id);
  }

  /** To what a mark cannot do without, after the named attribute; where labels come later, to what is open. */
  describe(id, after = "") {
    if (this.question.labels?.later) return this.cards.focusOpen(id, after);
    const [needed] = neededAfter(this.question, this.span(id), after);
    if (needed) this.cards.focus(id, needed.id);
    return Boolean(needed);
  }

  /** Words that are chosen and not marked: about to be forgotten. */
  get loose() {
    const { text } = this;
    const mine = !this.readOnly && text.selection && !this.linking.underway && text.controller === this;
    return mine ? text.atoms.read(text.selection) : "";
  }

  open(id, andShow) {
    if (id && andShow) this.text.goTo(this.atoms(this.span(id)).start);
    this.current = id;
    this.text.current = id && drawnId(this.question, id);
    this.refresh();
  }

  change(id, changes, part) {
    if (this.proposals.find(id)) return this.proposals.adopt(id, changes);
    return this.host.set(this.spans.map((span) => (span.id === id ? { ...span, ...changes } : span)), part);
  }

  remove(id) {
    const span = this.span(id);
    if (!span || this.readOnly) return;
    this.current = "";
    if (this.proposals.find(id)) {
      this.proposals.dismiss(span);
      return;
    }
    this.host.set(this.spans.filter((one) => one.id !== id));
    announce(_("Removed the mark on {words}", { words: this.text.atoms.read(this.atoms(span)) }));
    this.text.takeFocus();
  }

  /** From one part of a mark to the next; where labels come later, the label after the first attribute. */
  nextPart(id, attribute) {
    const labelFirst = this.question.labels?.later && !this.span(id).label;
    if (labelFirst && attribute === this.question.attributes[0].id) this.palette.focus();
    else if (!this.describe(id, attribute)) this.text.takeFocus();
  }

  /** A key while the labels have the focus. */
  key(pressed) {
    return !this.readOnly && Boolean(this.palette?.hasFocus) && this.palette.key(pressed);
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

register("spans", {
  create: (question, host) => new SpansWidget(question, host),
  blank: () => [],
  tidy: (question, spans) => spans.map((span) => tidySpan(question, span)),
  check: (question, spans, host, answers) => [
    ...openProblem(question, spans, host, answers),
    ...problemsOf(question, spans, host),
  ],
  saidBeside: dismissedKey,
  marks: ({ of, by }) => ({ of, by }),
});
