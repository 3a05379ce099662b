// An answer that a reviewer gave back: what they wrote about the whole stands above the text, and each remark beside the
// question or the mark that it is about. Who the reviewer is, nobody is told.
import { h } from "../dom.js";

/** @typedef {{where: string, part: string, comment: string}} Remark */

export class Returned {
  /** @param {{comment: string, remarks: Remark[]}} returned */
  constructor({ comment, remarks }) {
    this.remarks = remarks.map((remark) => ({ ...remark, element: said(remark.comment) }));
    const beside = remarks.length ? " What it is about is said beside each answer." : "";
    this.notice = h(
      "section",
      { class: "notice warn returned", "aria-label": "Returned by a reviewer" },
      h(
        "div",
        {},
        h("p", {}, h("strong", {}, "A reviewer returned this answer. "), `Please amend it and submit it again.${beside}`),
        comment && h("blockquote", { dir: "auto" }, comment),
      ),
    );
  }

  /** Put every remark in its place; a mark that is gone leaves its remark with the question. @param {HTMLElement} desk */
  draw(desk) {
    for (const { where, part, element } of this.remarks) {
      const question = desk.querySelector(`[data-question="${CSS.escape(where)}"]`);
      const card = part && question?.querySelector(`[data-span="${CSS.escape(part)}"]`);
      if (card && element.parentElement !== card) card.querySelector(".mark-top").after(element);
      else if (!card && question && element.parentElement !== question)
        question.querySelector(":scope > .help").after(element);
    }
  }
}

const said = (comment) =>
  h("p", { class: "remark-said", dir: "auto" }, h("span", { class: "sr-only" }, "A reviewer's remark: "), comment);
