// The answer to a question of kind `spans`: a list of spans that is never changed in place.
import { answered, holds, numbersOf } from "../conditions.js";
import { _, ngettext } from "../language.js";
import { kindOf } from "../kinds/registry.js";

/** @typedef {import("./atoms.js").Range} Range */
/**
 * @typedef {{id: string, start: number, end: number, label?: string, links?: Record<string, Range[]>,
 *   suggested?: string}} Span `suggested`: the suggestion it came from
 */

/**
 * Every label of a tree by its path, with its colour, which it has from its first level.
 * @returns {Map<string, {path: string, title: string, full_mark: string, tone: number, children: any[]}>}
 */
export function labelsByPath(question) {
  const found = new Map();
  const walk = (labels, tone) =>
    labels.forEach((label, index) => {
      const own = tone || (index % 8) + 1;
      found.set(label.path, { ...label, tone: own });
      walk(label.children, own);
    });
  walk(question.labels?.labels ?? [], 0);
  return found;
}

/** An id that no span of the list has. */
export function newSpanId(spans) {
  const taken = new Set(spans.map((span) => span.id));
  let number = spans.length + 1;
  while (taken.has(`e${number}`)) number += 1;
  return `e${number}`;
}

/** Spans in the order of the text. */
export function inOrder(spans) {
  return [...spans].sort((one, other) => one.start - other.start || one.end - other.end);
}

/**
 * Why a span may not lie there, in words; nothing if it may.
 * @param {any} question @param {Span[]} spans @param {import("./atoms.js").Range & {id?: string}} place
 * @param {number} judgedFrom where the part that may be marked begins
 */
export function whyNot(question, spans, place, judgedFrom) {
  const others = spans.filter((span) => span.id !== place.id);
  if (place.start < judgedFrom) return _("The given beginning, in bold, is not judged: mark only what follows it.");
  if (!question.overlap && others.some((span) => span.start < place.end && place.start < span.end))
    return _("These words are already marked. Marks may not overlap here: change the other mark or remove it.");
  if (!place.id && question.at_most && spans.length >= question.at_most)
    return ngettext(
      "Only one mark is allowed: remove the other one first.",
      "At most {count} marks are allowed: remove one first.",
      question.at_most,
    );
  return "";
}

/** The attributes of a span that are asked, given its label and the attributes before. */
export function askedAttributes(question, span) {
  const numbers = numbersOf(question.attributes);
  const facts = { label: span.label };
  return question.attributes.filter((attribute) => {
    if (!holds(attribute.when, facts, numbers)) return false;
    if (answered(span[attribute.id])) facts[attribute.id] = span[attribute.id];
    return true;
  });
}

const OPTIONAL = ` ${_("(optional)")}`;

/**
 * What stands beside an attribute that is not always demanded: nothing if this mark cannot do without it, else that it may
 * be left empty, or that one of several is needed.
 */
export function attributeNote(question, span, attribute) {
  if (attribute.required) return "";
  if (!mentions(question.require, attribute.id)) return OPTIONAL;
  const facts = { label: span.label };
  for (const one of askedAttributes(question, span))
    if (one.id !== attribute.id && answered(span[one.id])) facts[one.id] = span[one.id];
  const numbers = numbersOf(question.attributes);
  if (holds(question.require, facts, numbers)) return OPTIONAL;
  const others = askedAttributes(question, span).filter(
    (one) => one.id !== attribute.id && !answered(span[one.id]) && mentions(question.require, one.id),
  );
  return others.length ? ` ${_("(one of these is needed)")}` : "";
}

/** The unanswered attributes after the named one that this mark cannot do without. */
export function neededAfter(question, span, after = "") {
  const asked = askedAttributes(question, span);
  return asked
    .slice(asked.findIndex((one) => one.id === after) + 1)
    .filter((one) => !answered(span[one.id]) && attributeNote(question, span, one) !== OPTIONAL);
}

function mentions(tree, name) {
  return Array.isArray(tree) && (tree[0] === "value" ? false : tree.slice(1).some((one) => one === name || mentions(one, name)));
}

/** A span as it is sent, without attributes that are hidden or empty. @returns {Span} */
export function tidySpan(question, span) {
  const tidy = { id: span.id, start: span.start, end: span.end };
  if (question.labels) tidy.label = span.label;
  if (span.suggested) tidy.suggested = span.suggested;
  if (question.links.length) {
    const links = Object.entries(span.links ?? {}).filter(([, places]) => places.length);
    if (links.length) tidy.links = Object.fromEntries(links);
  }
  for (const attribute of askedAttributes(question, span)) {
    const kind = kindOf(attribute.kind);
    const value = span[attribute.id] ?? kind.blank?.(attribute);
    if (answered(value) || Array.isArray(value)) tidy[attribute.id] = kind.tidy?.(attribute, value) ?? value;
  }
  return tidy;
}

/** Everything that is missing or wrong, each with the span and the attribute it belongs to. */
export function problemsOf(question, spans, host) {
  const problems = [];
  if (spans.length < question.at_least)
    problems.push({
      what: ngettext("Mark at least one passage.", "Mark at least {count} passages.", question.at_least),
    });
  for (const span of spans) problems.push(...problemsOfOne(question, span, host));
  return problems;
}

function problemsOfOne(question, span, host) {
  const problems = [];
  if (question.labels && !span.label) problems.push({ part: span.id, what: _("This mark has no label yet: choose one.") });
  for (const link of question.links) {
    const count = span.links?.[link.id]?.length ?? 0;
    if (count < link.at_least) problems.push({ part: `${span.id}.${link.id}`, what: _("{question}: not marked yet.", { question: link.ask }) });
  }
  for (const attribute of askedAttributes(question, span)) {
    const value = span[attribute.id];
    const part = `${span.id}.${attribute.id}`;
    if (!answered(value)) {
      if (attribute.required) problems.push({ part, what: _("{question}: please answer.", { question: attribute.ask }) });
    } else
      problems.push(
        ...kindOf(attribute.kind)
          .check(attribute, value, host)
          .map((problem) => ({ ...problem, part })),
      );
  }
  const tidy = tidySpan(question, span);
  if (!holds(question.require, tidy, numbersOf(question.attributes)))
    problems.push({ part: span.id, what: question.otherwise || _("Something is missing here.") });
  return problems;
}
