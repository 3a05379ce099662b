// An answer that a reviewer gave back: what they wrote about the whole stands above the text, and each remark beside the
// question, the mark or the part of a mark (e1.correction) that it is about. Who the reviewer is, nobody is told.
import { h } from "../dom.js";
import { _ } from "../language.js";

/** @typedef {{where: string, part: string, comment: string}} Remark */

export class Returned {
  /** @param {{comment: string, remarks: Remark[]}} returned */
  constructor({ comment, remarks }) {
    this.remarks = remarks.map((remark) => ({ ...remark, element: said(remark) }));
    const beside = remarks.length ? ` ${_("What it is about is said beside each answer.")}` : "";
    this.notice = h(
      "section",
      { class: "notice warn returned", "aria-label": _("Returned by a reviewer") },
      h(
        "div",
        {},
        h("p", {}, h("strong", {}, _("A reviewer returned this answer.")), " ", _("Please amend it and submit it again."), beside),
        comment && h("blockquote", { dir: "auto" }, comment),
      ),
    );
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
