// Deciding suggestions: which are left, and what becomes of one when it is accepted, changed or dismissed.
import { announce } from "../dom.js";
import { _ } from "../language.js";
import { inOrder, newSpanId } from "./answers.js";
import { offeredTo, suggestedMarks, SuggestionList, undecided } from "./suggestions.js";

export class Proposals {
  /** @type {string[]} */ dismissed = []; // ids of suggestions

  /** @param {any} widget the answer that they become part of */
  constructor(widget) {
    this.widget = widget;
    this.offered = offeredTo(widget.question, widget.host);
    this.list = new SuggestionList(widget.question, {
      open: (id) => widget.open(id, true),
      accept: (id) => this.accept(id),
      dismiss: (id) => widget.remove(id),
      recall: (suggested) => widget.host.say(this.dismissed.filter((one) => one !== suggested)),
      read: (place) => this.#read(place),
    });
  }

  /** Those that are still to be decided. */
  get left() {
    return undecided(this.offered, this.widget.spans, this.dismissed);
  }

  find(id) {
    return this.left.find((one) => one.id === id);
  }

  marks(toAtoms) {
    return suggestedMarks(this.widget.question, this.left, toAtoms);
  }

  draw(current, readOnly) {
    this.list.update({ offered: this.offered, left: this.left, dismissed: this.dismissed, current, readOnly });
  }

  openFirst() {
    if (this.left.length) this.widget.open(this.left[0].id, true);
  }

  /** Make a suggestion one's own, as it is or changed. @returns {string} the id of the mark, if it could be */
  adopt(id, changes = {}) {
    const { widget } = this;
    const mark = { ...this.find(id), ...changes, id: newSpanId(widget.spans) };
    if (widget.refuse({ start: mark.start, end: mark.end })) return "";
    widget.current = mark.id;
    widget.host.set(inOrder([...widget.spans, mark]));
    return mark.id;
  }

  accept(id) {
    const words = this.#read(this.find(id));
    if (this.widget.readOnly || !this.adopt(id)) return;
    announce(_("Accepted the suggestion on {words}", { words }));
    this.#toNext();
  }

  dismiss(suggestion) {
    this.widget.host.say([...this.dismissed, suggestion.suggested]);
    announce(_("Dismissed the suggestion on {words}", { words: this.#read(suggestion) }));
    this.#toNext();
  }

  /** Deciding one leads to the next, so that a list of suggestions takes one key each. */
  #toNext() {
    const { left, widget } = this;
    const next = left.find((one) => widget.atoms(one).start >= widget.text.caret) ?? left[0];
    if (next) widget.open(next.id, true);
    widget.text.takeFocus();
  }

  #read(place) {
    return this.widget.text.atoms.read(this.widget.atoms(place));
  }
}
