// Marks that somebody else proposes. Until one is decided it lies on the text like a mark, and the keys of a mark decide
// it: Enter accepts, Delete dismisses, another label or extent accepts it changed.
import { h } from "../dom.js";
import { _, ngettext } from "../language.js";
import { labelsByPath } from "./answers.js";
import { shortened } from "./cards.js";

/** @typedef {import("./answers.js").Span} Span */

/**
 * The suggestions on a text as spans that are not decided: no span of an answer has an id with a question mark.
 * @returns {Span[]}
 */
const asSpans = (suggestions) => suggestions.map((one) => ({ ...one, id: `?${one.id}`, suggested: one.id }));

/** Those that are neither used by a span nor dismissed. @param {Span[]} offered @param {Span[]} spans */
export function undecided(offered, spans, dismissed) {
  const gone = new Set([...spans.map((span) => span.suggested), ...dismissed]);
  return offered.filter((suggestion) => !gone.has(suggestion.suggested));
}

/** Under which key an answer holds the ids of dismissed suggestions. */
export const dismissedKey = (question) => `${question.id}.dismissed`;

/** The suggestions that are this question's to decide. @returns {Span[]} */
export const offeredTo = (question, host) => asSpans((host?.decides && host.unit.texts[question.of]?.suggested) || []);

/** Every suggestion must be decided: leaving one says nothing, and nobody could tell why. */
export function openProblem(question, spans, host, answers) {
  const left = undecided(offeredTo(question, host), spans, answers?.[dismissedKey(question)] ?? []).length;
  const what = ngettext(
    "One suggestion is not decided yet: accept (Enter) or dismiss (Delete) it.",
    "{count} suggestions are not decided yet: accept (Enter) or dismiss (Delete) each.",
    left,
  );
  return left ? [{ what }] : [];
}

/** How undecided suggestions are drawn. @returns {import("./painter.js").Mark[]} */
export function suggestedMarks(question, suggestions, toAtoms) {
  const labels = labelsByPath(question);
  return suggestions.map((suggestion) => {
    const label = labels.get(suggestion.label ?? "");
    return {
      id: `${question.id}/${suggestion.id}`,
      ...toAtoms(suggestion),
      tone: label?.tone ?? 8,
      title: label ? _("suggestion: {label}", { label: label.title }) : _("suggestion"),
      role: "suggested",
      badge: `${label?.full_mark ?? ""}?`,
    };
  });
}

/**
 * The list beside the text.
 * @typedef {object} Deeds
 * @property {(id: string) => void} open
 * @property {(id: string) => void} accept
 * @property {(id: string) => void} dismiss
 * @property {(suggested: string) => void} recall bring a dismissed one back
 * @property {(place: import("./atoms.js").Range) => string} read
 */
export class SuggestionList {
  /** @param {any} question @param {Deeds} deeds */
  constructor(question, deeds) {
    Object.assign(this, { question, deeds, labels: labelsByPath(question) });
    this.heading = h("h3", { class: "suggestions-left", role: "status" });
    this.list = h("ol", { class: "suggestions" });
    this.dismissed = h("ul", { class: "dismissed" });
    this.aside = h("details", { class: "dismissed-box" }, h("summary", {}), this.dismissed);
    this.element = h("div", { class: "suggestion-box" }, this.heading, this.list, this.aside);
  }

  /** @param {{offered: Span[], left: Span[], dismissed: string[], current: string, readOnly: boolean}} state */
  update({ offered, left, dismissed, current, readOnly }) {
    this.element.hidden = offered.length === 0;
    const all = ngettext("{count} suggestion", "{count} suggestions", offered.length);
    const open = left.length ? _("{count} to decide", { count: left.length }) : _("all decided");
    this.heading.textContent = `${all}, ${open}`;
    this.list.replaceChildren(...left.map((one) => this.#card(one, current === one.id, readOnly)));
    const gone = offered.filter((one) => dismissed.includes(one.suggested));
    this.aside.hidden = gone.length === 0;
    this.aside.firstElementChild.textContent = _("{count} dismissed", { count: gone.length });
    this.dismissed.replaceChildren(...gone.map((one) => this.#gone(one, readOnly)));
  }

  #card(suggestion, isCurrent, readOnly) {
    const { deeds } = this;
    const label = this.labels.get(suggestion.label ?? "");
    const said = this.question.attributes
      .map((attribute) => suggestion[attribute.id])
      .filter((value) => typeof value === "string" && value);
    const badge = h("span", { class: "letter", "aria-hidden": "true" }, `${label?.full_mark ?? ""}?`);
    badge.dataset.tone = String(label?.tone ?? 8);
    const words = deeds.read(suggestion);
    const button = (text, name, key, does) =>
      h(
        "button",
        { type: "button", "aria-label": name, onclick: () => does(suggestion.id) },
        text,
        " ",
        h("kbd", { "aria-hidden": "true" }, key),
      );
    return h(
      "li",
      { class: `suggestion${isCurrent ? " current" : ""}`, "data-suggestion": suggestion.suggested },
      h(
        "button",
        { type: "button", class: "mark-head", onclick: () => deeds.open(suggestion.id) },
        badge,
        h(
          "span",
          { class: "mark-name" },
          h("span", { class: "mark-title" }, label?.title ?? _("Suggested")),
          " ",
          h("q", { class: "mark-words", dir: "auto" }, shortened(words)),
        ),
      ),
      said.length > 0 && h("p", { class: "mark-summary", dir: "auto" }, shortened(said.join(" · "), 200)),
      !readOnly &&
        h(
          "div",
          { class: "row" },
          button(_("Accept"), _("Accept the suggestion on {words}", { words }), "Enter", deeds.accept),
          button(_("Dismiss"), _("Dismiss the suggestion on {words}", { words }), "Del", deeds.dismiss),
        ),
    );
  }

  #gone(suggestion, readOnly) {
    const { deeds } = this;
    const back = () => deeds.recall(suggestion.suggested);
    return h(
      "li",
      {},
      h("q", { dir: "auto" }, shortened(deeds.read(suggestion))),
      " ",
      !readOnly && h("button", { type: "button", class: "quiet", onclick: back }, _("Bring back")),
    );
  }
}
