// One card for each mark, beside the text: its label, the questions about it, the passages linked to it.
import { freshId, h } from "../dom.js";
import { answered } from "../conditions.js";
import { _ } from "../language.js";
import { kindOf } from "../kinds/registry.js";
import { attributeNote, askedAttributes, inOrder, labelsByPath } from "./answers.js";

/**
 * @typedef {object} Deeds what a card can ask for
 * @property {(id: string) => void} open
 * @property {(id: string) => void} remove
 * @property {(id: string, attribute: string, value: any, part?: string) => void} set
 * @property {(id: string, link: string) => void} link
 * @property {(id: string, link: string, index: number) => void} unlink
 * @property {() => void} back to the text
 * @property {(id: string, attribute: string) => void} next Enter in a field: it is finished
 * @property {(place: import("./atoms.js").Range) => void} show bring these words into view
 * @property {(place: import("./atoms.js").Range) => string} read
 * @property {import("../kinds/registry.js").Host} host
 */

export class Cards {
  #cards = new Map();

  /** @param {any} question @param {Deeds} deeds */
  constructor(question, deeds) {
    this.question = question;
    this.deeds = deeds;
    this.labels = labelsByPath(question);
    this.empty = h("p", { class: "help no-marks" }, _("Nothing marked yet."));
    this.element = h("ol", { class: "marks" });
  }

  /**
   * @param {import("./answers.js").Span[]} spans
   * @param {{current: string, linking: string, readOnly: boolean, problems: any[]}} state
   */
  update(spans, state) {
    const ordered = inOrder(spans);
    const known = new Set(ordered.map((span) => span.id));
    for (const [id, card] of this.#cards) {
      if (known.has(id)) continue;
      card.element.remove();
      this.#cards.delete(id);
    }
    ordered.forEach((span, index) => {
      if (!this.#cards.has(span.id)) this.#cards.set(span.id, this.#make(span.id));
      const card = this.#cards.get(span.id);
      card.update(span, index + 1, state);
      if (this.element.children[index] !== card.element)
        this.element.insertBefore(card.element, this.element.children[index] ?? null);
    });
    this.empty.hidden = ordered.length > 0;
  }

  /** Put the focus on the first question of a mark, or on the named one. */
  focus(id, attribute) {
    const card = this.#cards.get(id);
    if (!card) return;
    const widget = card.widgets.get(attribute) ?? [...card.widgets.values()].find((one) => !one.box.hidden);
    card.element.scrollIntoView({ block: "nearest" });
    if (widget) widget.focus();
    else card.element.querySelector("button")?.focus();
  }

  /** The first question of a mark that is not answered, after the named one if there is one. @returns {boolean} */
  focusOpen(id, after = "") {
    const asked = [...this.#cards.get(id).widgets].filter(([, widget]) => !widget.box.hidden);
    const from = asked.findIndex(([name]) => name === after) + 1;
    const [name] = asked.slice(from).find(([, widget]) => !widget.answered()) ?? [];
    if (name) this.focus(id, name);
    return Boolean(name);
  }

  /** Scroll the column of cards, never the page, so that this card is seen. */
  reveal(id) {
    const [card, column] = [this.#cards.get(id)?.element, this.element.closest(".beside")];
    if (!card || !column || column.scrollHeight <= column.clientHeight) return;
    const [box, frame] = [card.getBoundingClientRect(), column.getBoundingClientRect()];
    const covered = column.querySelector(".pick")?.getBoundingClientRect().height ?? 0;
    if (box.bottom > frame.bottom) column.scrollTop += box.bottom - frame.bottom + 8;
    else if (box.top < frame.top + covered) column.scrollTop -= frame.top + covered - box.top + 8;
  }

  #make(id) {
    const { deeds, question } = this;
    const widgets = new Map();
    const badge = h("span", { class: "letter", "aria-hidden": "true" });
    const words = h("q", { class: "mark-words", dir: "auto" });
    const title = h("span", { class: "mark-title" });
    const summary = h("p", { class: "mark-summary" });
    const open = h(
      "button",
      { type: "button", class: "mark-head", onclick: () => deeds.open(id) },
      badge,
      h("span", { class: "mark-name" }, title, " ", words),
    );
    const remove = h(
      "button",
      { type: "button", class: "quiet danger mark-remove", onclick: () => deeds.remove(id) },
      _("Remove"),
    );
    const roles = question.links.map((link) => link.id).join(" ");
    const links = h("div", { class: "mark-links", "data-roles": roles });
    const problems = h("div", { class: "mark-problems", role: "alert" });
    const body = h("div", { class: "mark-body" }, links);
    for (const attribute of question.attributes) {
      const widget = this.#attribute(id, attribute);
      widgets.set(attribute.id, widget);
      body.append(widget.box);
    }
    const element = h(
      "li",
      {
        class: "mark-card",
        "data-span": id,
        onkeydown: (event) => {
          const field = event.target instanceof HTMLElement && event.target.closest("[data-attribute]");
          const on = event.key === "Enter" && !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.isComposing;
          if (event.key === "Escape") {
            event.preventDefault();
            deeds.back();
          } else if (on && field instanceof HTMLElement) {
            event.preventDefault();
            deeds.next(id, field.dataset.attribute);
          }
        },
      },
      h("div", { class: "mark-top" }, open, remove),
      summary,
      body,
      problems,
    );

    const update = (span, number, { current, linking, readOnly, problems: all }) => {
      const label = this.labels.get(span.label ?? "");
      const mine = all.filter((problem) => problem.part === id || problem.part?.startsWith(`${id}.`));
      // What a reviewer said of a part of the mark must be seen without opening anything.
      const isOpen = current === id || mine.length > 0 || body.querySelector(".remark-said") !== null;
      element.classList.toggle("current", current === id);
      element.querySelector(".mark-head").setAttribute("aria-expanded", String(isOpen));
      badge.dataset.tone = String(label?.tone ?? 8);
      badge.textContent = (label?.full_mark ?? "•") + (question.links.length ? number : "");
      title.textContent = label?.title ?? (question.labels ? _("no label yet") : _("Mark {number}", { number }));
      words.textContent = shortened(deeds.read(span));
      remove.setAttribute("aria-label", _("Remove the mark on {words}", { words: deeds.read(span) }));
      remove.hidden = readOnly;
      body.hidden = !isOpen;
      const said = question.attributes
        .map((attribute) => span[attribute.id])
        .filter((value) => typeof value === "string" && value);
      summary.hidden = isOpen || !said.length;
      summary.textContent = shortened(said.join(" · "), 120);
      const asked = new Set(askedAttributes(question, span).map((attribute) => attribute.id));
      for (const [name, widget] of widgets) {
        const own = mine.filter((problem) => problem.part === `${id}.${name}`);
        widget.box.hidden = !asked.has(name);
        widget.note.textContent = attributeNote(question, span, widget.attribute);
        widget.update(span[name], { readOnly, problems: own });
        widget.value = span[name];
        widget.problem.textContent = own.map((problem) => problem.what).join(" ");
      }
      this.#drawLinks(links, span, linking === id, readOnly);
      const loose = mine.filter((problem) => problem.part === id || !widgets.has(problem.part.slice(id.length + 1)));
      problems.replaceChildren(
        ...loose.map((problem) =>
          h("p", { class: "problem" }, [problem.what, problem.remedy].filter(Boolean).join(" ")),
        ),
      );
    };
    return { element, widgets, update };
  }

  #attribute(id, attribute) {
    const { deeds } = this;
    const host = { ...deeds.host, set: (value, part) => deeds.set(id, attribute.id, value, part) };
    const widget = kindOf(attribute.kind).create(attribute, host);
    const problem = h("p", { class: "problem", role: "alert" });
    const name = freshId("attribute");
    const note = h("span", { class: "soft" });
    const asks = h("span", { class: "label", id: name }, attribute.ask, note);
    const help = attribute.help && h("span", { class: "help", dir: "auto" }, attribute.help);
    const box = h(
      "div",
      { class: "attribute field", role: "group", "aria-labelledby": name, "data-attribute": attribute.id },
      asks,
      help,
      widget.element,
      problem,
    );
    return {
      ...widget,
      attribute,
      box,
      note,
      problem,
      value: undefined,
      answered() {
        return answered(this.value);
      },
    };
  }

  #drawLinks(box, span, linking, readOnly) {
    const { deeds, question } = this;
    box.replaceChildren(
      ...question.links.map((link) => {
        const places = span.links?.[link.id] ?? [];
        const full = places.length >= link.at_most;
        return h(
          "div",
          { class: "link-role" },
          h("span", { class: "label" }, link.ask, link.at_least ? "" : h("span", { class: "soft" }, ` ${_("(optional)")}`)),
          h(
            "ul",
            {},
            places.map((place, index) =>
              h(
                "li",
                {},
                h(
                  "button",
                  { type: "button", class: "quiet linked", title: _("Show in the text"), onclick: () => deeds.show(place) },
                  h("q", { dir: "auto" }, shortened(deeds.read(place))),
                ),
                !readOnly &&
                  h(
                    "button",
                    {
                      type: "button",
                      class: "quiet",
                      "aria-label": _("Remove the linked words {words}", { words: deeds.read(place) }),
                      onclick: () => deeds.unlink(span.id, link.id, index),
                    },
                    "×",
                  ),
              ),
            ),
          ),
          !readOnly &&
            !full &&
            (linking
              ? h(
                  "p",
                  { class: "linking" },
                  _("Now choose the words in the text, then press Enter."),
                )
              : h(
                  "button",
                  { type: "button", onclick: () => deeds.link(span.id, link.id) },
                  _("Choose in the text"),
                  " ",
                  h("kbd", { "aria-hidden": "true" }, "+"),
                )),
        );
      }),
    );
  }
}

/** The first characters of a long passage. */
export function shortened(text, most = 60) {
  const characters = [...text.replace(/\s+/gu, " ")];
  return characters.length <= most
    ? characters.join("")
    : `${characters
        .slice(0, most - 1)
        .join("")
        .trimEnd()}…`;
}
