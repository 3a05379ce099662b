// The words of a page in the language of the person, by the catalogue that the server put into it; English without one.
// A message is written in English with facts in braces: _("{at} of {size}", { at: 3, size: 12 }).

const found = globalThis.document?.getElementById("catalogue")?.textContent;
const { language, direction, plural, messages } = found
  ? JSON.parse(found)
  : { language: "en", direction: "ltr", plural: "", messages: {} };
const PERIOD = plural.length / 2; // the rule for plurals is a table: small numbers, then the last two digits

/** The code of the language, which is kept with every answer. */
export const LANGUAGE = language;

/** For dates and numbers: the person's own variety of the language, if their browser names one. */
export const LOCALE = globalThis.navigator?.languages?.find((one) => one.toLowerCase().split("-")[0] === language) ?? language;

const numbers = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 20 });
const percents = new Intl.NumberFormat(LOCALE, { style: "percent" });

/** A number as people write it here. @param {number} value */
export const number = (value) => numbers.format(value);

/** A share of one as a percentage. @param {number} value */
export const percent = (value) => percents.format(value);

/** A fact may run in the other direction than the sentence around it: it is kept apart. */
function shown(fact) {
  const words = typeof fact === "number" ? number(fact) : String(fact);
  return direction === "rtl" ? `\u2068${words}\u2069` : words;
}

const filled = (message, facts) =>
  message.replace(/\{(\w+)\}/gu, (whole, name) => (Object.hasOwn(facts, name) ? shown(facts[name]) : whole));

/** @param {string} message @param {Record<string, string | number>} [facts] */
export function _(message, facts = {}) {
  return filled(Object.hasOwn(messages, message) ? messages[message] : message, facts);
}

/**
 * A message that depends on a number, which is its fact `count`.
 * @param {string} one @param {string} many @param {number} count @param {Record<string, string | number>} [facts]
 */
export function ngettext(one, many, count, facts = {}) {
  const forms = Object.hasOwn(messages, one) ? [messages[one]].flat() : null;
  const form = forms ? forms[Number(plural[count < PERIOD ? count : PERIOD + (count % PERIOD)])] : count === 1 ? one : many;
  return filled(form, { count, ...facts });
}

/** Several words as a list: "A, B and C". @param {string[]} words */
export const listed = (words) => new Intl.ListFormat(LOCALE, { type: "conjunction" }).format(words);
