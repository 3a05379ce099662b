// A mark gets one word more or less, by key.
import { announce } from "../dom.js";
import { _ } from "../language.js";

/** @param {any} widget the answer that the mark is part of @returns {boolean} whether there was a mark */
export function resize(widget, atStart, atEnd) {
  const { text } = widget;
  const span = widget.span(widget.current);
  if (!span) return false;
  const old = widget.atoms(span);
  const range = { start: Math.max(old.start + atStart, 0), end: Math.min(old.end + atEnd, text.atoms.length) };
  if (range.start >= range.end || widget.refuse({ id: span.id, ...widget.place(range) })) return true;
  text.caret = text.anchor = Math.min(Math.max(text.caret, range.start), range.end - 1);
  widget.change(span.id, widget.place(range));
  announce(_("The mark is now {words}", { words: text.atoms.read(range) }));
  return true;
}
