// The list of marks beside the text: how many found each, who said what, and what can be done with the chosen one.
import { h } from "../dom.js";
import { inShort } from "./details.js";
import { appendVisibly } from "../spans/invisibles.js";

/** @typedef {import("./fold.js").Entry} Entry */

const STATUS = { open: "undecided", accepted: "accepted", dropped: "dropped", "left out": "left out" };

/** What can be done with a mark: key, name, and for which marks. */
export const ACTIONS = [
  { key: "a", name: "Accept", on: (entry) => entry.status !== "accepted" },
  { key: "d", name: "Drop", on: (entry) => entry.status === "open" || entry.status === "accepted" },
  { key: "e", name: "Change span", on: () => true },
  { key: "m", name: "Merge with next", on: () => true },
  { key: "s", name: "Split", on: (entry) => entry.end - entry.start > 1 },
  { key: "=", name: "Means the same as…", on: () => true },
  { key: "c", name: "Correction", on: () => true },
  { key: "w", name: "Comment", on: () => true },
  { key: "n", name: "Note", on: () => true },
];

function visibly(tag, properties, text) {
  const element = h(tag, properties);
  appendVisibly(element, text);
  return element;
}

export class Entries {
  /**
   * @param {import("./paper.js").Paper} paper
   * @param {import("./details.js").Details} details
   * @param {{choose: (id: string) => void, act: (key: string) => void}} hands
   */
  constructor(paper, details, hands) {
    this.paper = paper;
    this.details = details;
    this.hands = hands;
    this.summary = h("p", { class: "soft number summary" });
    this.list = h("ol", { class: "entries" });
    this.element = h(
      "section",
      { class: "marks", "aria-labelledby": "marks-title" },
      h("h3", { id: "marks-title" }, "Marks"),
      this.summary,
      this.list,
    );
  }

  /** @param {import("./fold.js").State} state @param {string} chosen @param {string} other the second of a pair */
  draw(state, chosen, other) {
    const held = document.activeElement?.closest?.(".entry-head");
    const at = [...this.list.querySelectorAll(".chosen .details button")].indexOf(
      /** @type {any} */ (document.activeElement),
    );
    const count = (status) => state.entries.filter((one) => one.status === status).length;
    this.summary.textContent = state.entries.length
      ? Object.entries(STATUS)
          .filter(([status]) => count(/** @type {any} */ (status)))
          .map(([status, word]) => `${count(/** @type {any} */ (status))} ${word}`)
          .join(", ")
      : "Nobody marked anything in this text.";
    const people = state.annotators.length;
    this.list.replaceChildren(
      ...state.entries.map((entry) => this.#entry(entry, people, entry.id === chosen, entry.id === other, state)),
    );
    if (held) this.focus(chosen);
    else if (at >= 0) /** @type {any} */ (this.list.querySelectorAll(".chosen .details button")[at])?.focus();
  }

  focus(/** @type {string} */ id) {
    const head = /** @type {HTMLElement | null} */ (this.list.querySelector(`[data-id="${id}"] .entry-head`));
    head?.focus({ preventScroll: true });
    head?.closest("li")?.scrollIntoView({ block: "nearest" });
  }

  /** Go to what else is asked of the chosen mark. @returns {boolean} whether there is anything */
  focusDetails(/** @type {string} */ id) {
    const first = /** @type {HTMLElement | null} */ (this.list.querySelector(`[data-id="${id}"] .details button`));
    first?.focus();
    return Boolean(first);
  }

  #entry(/** @type {Entry} */ entry, people, chosen, other, state) {
    const label = this.paper.labels.get(entry.label);
    const head = h(
      "button",
      {
        type: "button",
        class: "entry-head",
        "aria-expanded": String(chosen),
        onclick: () => this.hands.choose(entry.id),
      },
      h("span", { class: "letter", "data-tone": label?.tone ?? 8, "aria-hidden": "true" }, label?.full_mark ?? "•"),
      h(
        "span",
        { class: "entry-words" },
        visibly("q", { dir: "auto" }, this.paper.quote(entry)),
        h("span", { class: "sr-only" }, `, ${label?.title ?? entry.label}`),
        entry.correction && h("span", { class: "entry-right" }, " → ", h("bdi", {}, entry.correction)),
      ),
      h("span", { class: `tag status ${entry.status.replace(" ", "-")}` }, STATUS[entry.status]),
      h("span", { class: "entry-counts soft number" }, counts(entry, people)),
    );
    return h(
      "li",
      {
        class: `entry ${entry.status.replace(" ", "-")}${chosen ? " chosen" : ""}${other ? " other" : ""}`,
        "data-id": entry.id,
      },
      head,
      chosen && h("div", { class: "entry-body" }, this.#body(entry, state)),
    );
  }

  #body(/** @type {Entry} */ entry, state) {
    const quote = (place) => this.paper.quote(place);
    const rows = entry.sources.map((source) => {
      const label = this.paper.labels.get(source.label);
      return h(
        "li",
        {},
        h("bdi", { class: "who" }, source.annotator),
        " ",
        h("span", { class: "letter", "data-tone": label?.tone ?? 8 }, label?.full_mark ?? source.label),
        " ",
        visibly("q", { dir: "auto" }, this.paper.quote(source)),
        source.correction && h("span", {}, " → ", h("bdi", {}, source.correction)),
        source.comment && h("span", { class: "soft", dir: "auto" }, ` ${source.comment}`),
        source.other_form && h("span", { class: "soft" }, " (meant the same)"),
        h("span", { class: "soft", dir: "auto" }, ` ${inShort(this.paper.config.question, source, quote)}`),
      );
    });
    const silent = state.annotators.filter((name) => !entry.sources.some((source) => source.annotator === name));
    return [
      rows.length ? h("ul", { class: "said-by" }, rows) : h("p", { class: "soft" }, "Added by a curator."),
      silent.length > 0 && rows.length > 0 && h("p", { class: "soft small" }, `Not marked by ${silent.join(", ")}`),
      entry.comment && h("p", { dir: "auto" }, h("span", { class: "soft" }, "Comment: "), entry.comment),
      entry.note && h("p", { dir: "auto" }, h("span", { class: "soft" }, "Note: "), entry.note),
      this.details.draw(entry, state.finished),
      h("div", { class: "row acts" }, state.finished ? null : ACTIONS.map((action) => this.#action(action, entry))),
    ];
  }

  #action({ key, name, on }, entry) {
    if (!on(entry)) return null;
    const called = key === "a" && entry.status === "left out" ? "Take it in" : name;
    return h(
      "button",
      { type: "button", onclick: () => this.hands.act(key) },
      called,
      h("kbd", { "aria-hidden": "true" }, key),
    );
  }
}

/** "found by 2 of 3, category 2, span 1" */
export function counts(/** @type {Entry} */ entry, people) {
  if (!entry.sources.length) return "added by a curator";
  const found = `found by ${entry.found_by} of ${people}`;
  return `${found}, category ${entry.label_agreed_by}, span ${entry.span_agreed_by}`;
}
