// A step in words, for the history and for telling one curator what another did.

/** @typedef {import("./fold.js").Step} Step */

export class Told {
  #places = new Map(); // the tokens of every mark that ever was, by its id
  #words = new Map();

  /** @param {(place: {start: number, end: number}) => string} quote */
  constructor(quote) {
    this.quote = quote;
  }

  /** All steps in order; each is looked at once. @param {Step[]} steps @returns {string[]} */
  all(steps) {
    return steps.map((step) => {
      const key = JSON.stringify([step.number, step.kind, step.facts]);
      if (!this.#words.has(key)) this.#words.set(key, this.#one(step));
      return this.#words.get(key);
    });
  }

  /** What others did meanwhile, and what became of our own steps. */
  meeting({ who, theirs, lost }, /** @type {Step[]} */ steps) {
    const words = this.all(steps);
    const done = theirs.map((step) => words[step.number - 1]).join("; ");
    const mine = lost.map(({ step, why }) => `Your step (${step.kind.replaceAll("_", " ")}) was not taken: ${why}.`);
    return `Meanwhile ${who} ${done}. ${mine.join(" ") || "Your step was taken after that."}`;
  }

  #said(id) {
    const place = this.#places.get(id);
    if (!place) return "a mark";
    const words = this.quote(place);
    return `“${words.length > 40 ? `${words.slice(0, 38)}…` : words}”`;
  }

  /** @param {Step} step */
  #one({ number, kind, facts }) {
    const said = this.#said(facts.mark);
    switch (kind) {
      case "begin":
        for (const { id, start, end } of facts.entries ?? []) this.#places.set(id, { start, end });
        return number === 1 ? "took the proposal" : "started again with a new proposal";
      case "import":
        for (const { id, start, end } of facts.entries ?? []) this.#places.set(id, { start, end });
        return `took in the list ${facts.source}`;
      case "change_attribute":
        return facts.values.length
          ? `made the ${facts.attribute} of ${said} ${facts.values.join(", ")}`
          : `took the ${facts.attribute} of ${said} away`;
      case "change_links":
        return facts.passages.length
          ? `linked ${said} to ${facts.passages.map((place) => `“${this.quote(place)}”`).join(" and ")}`
          : `took the ${facts.role} passage of ${said} away`;
      case "accept":
        return `accepted ${said}`;
      case "drop":
        return `dropped ${said}`;
      case "change_label":
        return `made ${said} ${facts.label}`;
      case "change_correction":
        return facts.correction ? `corrected ${said} to “${facts.correction}”` : `took the correction of ${said} away`;
      case "change_comment":
        return facts.comment ? `commented ${said}: ${facts.comment}` : `took the comment of ${said} away`;
      case "note":
        return facts.mark ? `noted on ${said}: ${facts.note}` : `noted: ${facts.note}`;
      case "same_meaning":
        return `said that ${this.#said(facts.other)} means the same as ${said}`;
      case "undo":
        return `took step ${facts.step} back`;
      case "finish":
        return "finished the text";
      case "reopen":
        return "reopened the text";
      default:
        return this.#moved(number, kind, facts, said);
    }
  }

  #moved(number, kind, facts, said) {
    const { start, end } = facts;
    if (kind === "change_span") {
      this.#places.set(facts.mark, { start, end });
      return `moved ${said} to ${this.#said(facts.mark)}`;
    }
    if (kind === "add") {
      this.#places.set(`${number}.1`, { start, end });
      return `added ${this.#said(`${number}.1`)} as ${facts.label || "a mark"}`;
    }
    if (kind === "split") {
      const whole = this.#places.get(facts.mark) ?? { start: facts.at - 1, end: facts.at + 1 };
      this.#places.set(`${number}.1`, { start: whole.start, end: facts.at });
      this.#places.set(`${number}.2`, { start: facts.at, end: whole.end });
      return `split ${said} into ${this.#said(`${number}.1`)} and ${this.#said(`${number}.2`)}`;
    }
    if (kind === "merge") {
      const parts = facts.marks.map((id) => this.#places.get(id)).filter(Boolean);
      const whole = {
        start: Math.min(...parts.map((one) => one.start)),
        end: Math.max(...parts.map((one) => one.end)),
      };
      if (parts.length) this.#places.set(`${number}.1`, whole);
      return `merged ${facts.marks.map((id) => this.#said(id)).join(" and ")}`;
    }
    return kind;
  }
}
