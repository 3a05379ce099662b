// A question's spans, with the passages linked to them, as marks on the text.
import { _ } from "../language.js";
import { inOrder, labelsByPath } from "./answers.js";

/** The id of a span's mark; ids of marks are unique on a text, which several questions may share. */
export const drawnId = (question, id) => `${question.id}/${id}`;

/**
 * @param {any} question
 * @param {import("./answers.js").Span[]} spans
 * @param {(place: import("./atoms.js").Range) => import("./atoms.js").Range} toAtoms
 * @returns {import("./painter.js").Mark[]}
 */
export function drawnMarks(question, spans, toAtoms) {
  const labels = labelsByPath(question);
  return inOrder(spans).flatMap((span, index) => {
    const label = labels.get(span.label ?? "");
    const [tone, title] = [label?.tone ?? 8, label?.title ?? _("marked")];
    const number = question.links.length ? String(index + 1) : ""; // joins a mark and its links without a line
    const id = drawnId(question, span.id);
    const own = { id, ...toAtoms(span), tone, title, role: "own", badge: (label?.full_mark ?? "") + number };
    const links = question.links.flatMap((link) =>
      (span.links?.[link.id] ?? []).map((place, at) => {
        const of = { id: `${id}→${link.id}${at}`, title: _("{question} of {label} {number}", { question: link.ask, label: title, number }) };
        return { ...of, ...toAtoms(place), tone, role: "link", badge: `→${number}` };
      }),
    );
    return [own, ...links];
  });
}
