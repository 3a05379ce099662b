// Linking: the next words that are chosen belong to a mark, in one of the roles that the protocol names.
import { announce } from "../dom.js";
import { _ } from "../language.js";

export class Linking {
  span = ""; // the mark that waits for its words; none: nothing is being linked
  #link = "";

  /** @param {any} widget the answer that the mark is part of */
  constructor(widget) {
    this.widget = widget;
  }

  get underway() {
    return this.span !== "";
  }

  /** What the protocol says of the link that is being made. */
  get rule() {
    return this.underway ? this.widget.question.links.find((one) => one.id === this.#link) : undefined;
  }

  forgetUnless(known) {
    if (!known(this.span)) this.span = "";
  }

  /** @returns {boolean} whether something was being linked */
  stop() {
    const was = this.underway;
    this.span = "";
    return was;
  }

  /** Link the next words to a mark, in the named role or the first that has room. @returns {boolean} */
  start(id, role = this.#unfilled(this.widget.span(id))) {
    const { widget } = this;
    if (!role) return false;
    widget.open(id, false);
    [this.span, this.#link] = [id, role];
    widget.text.takeFocus();
    widget.refresh();
    announce(widget.picker.say.textContent);
    return true;
  }

  finish() {
    const { widget } = this;
    const [id, link] = [this.span, this.#link];
    const range = widget.words();
    const span = widget.span(id);
    const places = [...(span.links?.[link] ?? []), widget.place(range)];
    this.stop();
    widget.text.select(range.start, range.start, false);
    widget.current = id;
    widget.change(id, { links: { ...span.links, [link]: places } });
    announce(_("Linked {words}", { words: widget.text.atoms.read(range) }));
    widget.open(widget.span(id) ? id : widget.current, false);
    if (widget.question.labels?.later && !span.label) widget.cards.focus(widget.current);
    else widget.describe(widget.current);
    return true;
  }

  undo(id, link, index) {
    const { widget } = this;
    const { links } = widget.span(id);
    widget.change(id, { links: { ...links, [link]: links[link].filter((place, at) => at !== index) } });
  }

  #unfilled({ links }) {
    return this.widget.question.links.find((link) => (links?.[link.id]?.length ?? 0) < link.at_most)?.id;
  }
}
