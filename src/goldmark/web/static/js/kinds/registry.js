// The kinds of questions that the page can draw. A kind is a module that registers itself by name; the renderer asks
// here and never looks at what kind a question is.
import { _ } from "../language.js";

/**
 * @typedef {object} Question as the server presents it; kinds have keys of their own besides
 * @property {string} id
 * @property {string} kind
 * @property {string} ask
 * @property {string} help
 * @property {boolean} required
 * @property {any} when
 */

/** @typedef {{part?: string, what: string, remedy?: string}} Problem */

/**
 * @typedef {object} Host what a widget may ask of the page
 * @property {(value: any, part?: string) => void} set change the answer; nothing removes it
 * @property {(value: any) => void} say change what is said beside the answer
 * @property {boolean} decides does this question decide the suggestions on its text?
 * @property {(role: string) => import("../spans/element.js").TokenSpans | undefined} text
 * @property {object} unit
 */

/**
 * @typedef {object} Widget
 * @property {HTMLElement} element
 * @property {(value: any, state: {readOnly: boolean, problems: Problem[], said: any}) => void} update draw this
 *   answer and what is said beside it
 * @property {(part?: string) => void} focus
 * @property {(key: string) => boolean} [key] a letter or digit was pressed; whether it was used
 * @property {string} [loose] words that were chosen and would be forgotten if one went on now
 * @property {boolean} [beside] stands beside the text instead of under it
 */

/**
 * @typedef {object} Kind
 * @property {(question: any, host: Host) => Widget} create
 * @property {(question: any, value: any, host: Host, answers: object) => Problem[]} check what is wrong with an answer
 *   that was given
 * @property {(question: any) => string} [saidBeside] the key of what is said beside the answer
 * @property {(question: any) => any} [blank] what is sent if nothing was done; nothing: then it is unanswered
 * @property {(question: any, value: any) => any} [tidy] the answer as it is sent: without what is hidden
 *   or white space around words
 * @property {boolean} [many] can several of its options be chosen?
 * @property {(question: any) => {of?: string, by: "token" | "character"}} [marks] which text it marks, and by what
 */

/** @type {Map<string, Kind>} */
const kinds = new Map();

/** @param {string} name @param {Kind} kind */
export function register(name, kind) {
  kinds.set(name, kind);
}

/** @param {string} name @returns {Kind} */
export function kindOf(name) {
  const kind = kinds.get(name);
  if (!kind) throw new Error(_("This page cannot draw questions of kind {kind}; reload it to get its newest version.", { kind: name }));
  return kind;
}
