// An answer that a reviewer gave back: what they wrote about the whole stands above the text, and each remark beside the
// question, the mark or the part of a mark (e1.correction) that it is about. Who the reviewer is, nobody is told. Who does not
// agree says why.
import { h } from "../dom.js";
import { _ } from "../language.js";

/** @typedef {{where: string, part: string, comment: string}} Remark */

export class Returned {
  /**
   * @param {{id: number, returned: {comment: string, remarks: Remark[], decided: boolean}}} assignment
   * @param {import("./local_store.js").LocalStore | null} [kept] where a reason is kept while it is written; null: to look at
   */
  constructor({ id, returned: { comment, remarks, decided } }, kept = null) {
    this.remarks = remarks.map((remark) => ({ ...remark, element: said(remark) }));
    const beside = remarks.length ? ` ${_("What it is about is said beside each answer.")}` : "";
    const why = decided ? _("Somebody else has read your reason and agrees with the reviewer.") : _("A reviewer returned this answer.");
    this.field = null;
    this.notice = h(
      "section",
      { class: "notice warn returned", "aria-label": _("Returned by a reviewer") },
      h(
        "div",
        {},
        h("p", {}, h("strong", {}, why), " ", _("Please amend it and submit it again."), beside),
        comment && h("blockquote", { dir: "auto" }, comment),
        kept && !decided && this.#drawReason(`reply:${id}`, kept),
      ),
    );
  }

  #drawReason(name, kept) {
    const saved = kept.get(name) ?? "";
    const keep = () => kept.put(name, this.field.value);
    this.field = h("textarea", { id: "reply", rows: 2, maxlength: 10_000, dir: "auto", oninput: keep }, saved);
    this.box = h(
      "details",
      { class: "reply", open: Boolean(saved) },
      h("summary", {}, _("I do not agree, or not with all of it")),
      h("label", { for: "reply" }, _("Why it stays as it is")),
      this.field,
      h("p", { class: "help" }, _("The reviewer reads it. If they still disagree, somebody else decides.")),
    );
    return this.box;
  }

  /** What is answered to the reviewer. */
  get reply() {
    return this.field?.value.trim() ?? "";
  }

  /** Nothing was changed: show where a reason can be given. */
  askForReason() {
    if (!this.box) return;
    this.box.open = true;
    this.field.focus();
  }

  /** Put every remark in its place; a mark that is gone leaves its remark with the question. @param {HTMLElement} unitPage */
  draw(unitPage) {
    for (const { where, part, element } of this.remarks) {
      const question = unitPage.querySelector(`[data-question="${CSS.escape(where)}"]`);
      const [span, detail = ""] = part.split(".");
      const card = span && question?.querySelector(`[data-span="${CSS.escape(span)}"]`);
      const place = card ? placeIn(card, detail) : question?.querySelector(":scope > .help");
      if (place && element.parentElement !== place.parentElement) place.after(element);
      if (card && element.closest(".mark-body")) card.querySelector(".mark-body").hidden = false;
    }
  }
}

/** Behind what a remark on a card is put: the attribute's or the linked words' own heading, else the card's head. */
const placeIn = (card, detail) =>
  card.querySelector(`[data-attribute="${CSS.escape(detail)}"] > .label`) ??
  card.querySelector(`.mark-links[data-roles~="${CSS.escape(detail)}"]`) ??
  card.querySelector(".mark-top");

const HEADED = { label: `${_("On the label:")} `, span: `${_("On the marked words:")} ` }; // these two stand in the head of their card

const said = ({ part, comment }) =>
  h(
    "p",
    { class: "remark-said", dir: "auto" },
    h("span", { class: "sr-only" }, _("A reviewer's remark:"), " "),
    h("span", { class: "soft" }, HEADED[part.split(".")[1]] ?? ""),
    comment,
  );
