// What else the protocol asks of a mark: options as buttons, words in the editor, and passages that belong to it.
import { h } from "../dom.js";
import "../kinds/index.js";
import { kindOf } from "../kinds/registry.js";

/** An attribute's values as people read them. */
function values(attribute, given) {
  const titles = new Map((attribute?.options ?? []).map((one) => [one.id, one.title]));
  return given.map((one) => titles.get(one) ?? one).join(", ");
}

/** "Severity: Critical", and linked passages, of what somebody marked. @param {any} question @param {any} source */
export function inShort(question, source, quote) {
  const said = Object.entries(source.attributes ?? {}).map(([name, given]) => {
    const attribute = question.attributes.find((one) => one.id === name);
    return `${attribute?.ask || name}: ${values(attribute, given)}`;
  });
  const linked = (source.links ?? []).map((link) => `↔ “${quote(link)}”`);
  return [...said, ...linked].join(" · ");
}

export class Details {
  /**
   * @param {any} question @param {(place: any) => string} quote
   * @param {{set: (attribute: string, values: string[]) => void, write: (attribute: any) => void,
   *   link: (role: string) => void, unlink: (role: string) => void}} hands
   */
  constructor(question, quote, hands) {
    this.question = question;
    this.quote = quote;
    this.hands = hands;
  }

  /** @param {import("./fold.js").Entry} entry @param {boolean} readOnly */
  draw(entry, readOnly) {
    const rows = [
      ...this.question.attributes.map((one) => this.#attribute(one, entry.attributes[one.id] ?? [], readOnly)),
      ...this.question.links.map((one) => this.#role(one, entry, readOnly)),
    ];
    return rows.length ? h("div", { class: "details" }, rows) : null;
  }

  #attribute(attribute, given, readOnly) {
    const name = attribute.ask || attribute.id;
    if (readOnly || !attribute.options) {
      const change = () => this.hands.write({ ...attribute, name, given: given[0] ?? "" });
      return h(
        "p",
        {},
        h("span", { class: "soft" }, `${name}: `),
        h("bdi", {}, values(attribute, given) || "–"),
        !readOnly && h("button", { type: "button", class: "quiet small", onclick: change }, "Change"),
      );
    }
    const { many } = kindOf(attribute.kind);
    const option = ({ id, title }) => {
      const on = given.includes(id);
      const left = given.filter((one) => one !== id);
      const next = on ? left : [...(many ? left : []), id];
      const pick = () => this.hands.set(attribute.id, next);
      return h("button", { type: "button", "aria-pressed": String(on), class: "small", onclick: pick }, title);
    };
    return h(
      "div",
      { class: "row", role: "group", "aria-label": name },
      h("span", { class: "soft" }, name),
      attribute.options.map(option),
    );
  }

  #role(role, entry, readOnly) {
    const linked = entry.links.filter((link) => link.role === role.id);
    const button = (name, go) => h("button", { type: "button", class: "quiet small", onclick: go }, name);
    return h(
      "p",
      {},
      h("span", { class: "soft" }, `↔ ${role.ask} `),
      linked.length ? linked.map((link) => h("q", { dir: "auto" }, this.quote(link))) : "–",
      !readOnly && button(linked.length ? "Change" : "Choose", () => this.hands.link(role.id)),
      !readOnly && linked.length > 0 && button("Remove", () => this.hands.unlink(role.id)),
    );
  }
}
