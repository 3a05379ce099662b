// What stands between the text and the cards: what is chosen, the labels to choose from, and what else can be done. On
// a narrow screen it comes to the thumb as soon as there is something to do.
import { h } from "../dom.js";
import { _ } from "../language.js";
import { Palette } from "./palette.js";

/**
 * @typedef {object} Deeds
 * @property {(path: string, byFinger?: boolean) => void} label
 * @property {() => void} join the chosen words to the mark that waits for its link
 * @property {() => void} describe
 * @property {() => void} remove
 * @property {() => void} done nothing more with this mark or these words
 */

export class Picker {
  /** @param {any} question @param {Deeds} deeds */
  constructor(question, deeds) {
    this.palette = question.labels ? new Palette(question, deeds.label) : null;
    this.say = h("p", { class: "say", role: "status" });
    this.join = button(_("Link these words"), deeds.join, "primary", "Enter");
    this.mark = button(_("Mark these words"), () => deeds.label(""), "primary", "Enter");
    this.describe = button(_("Describe"), deeds.describe);
    this.remove = button(_("Remove"), deeds.remove, "danger");
    this.remove.setAttribute("aria-label", _("Remove this mark"));
    this.deeds = h("div", { class: "deeds row" }, this.describe, this.remove, button(_("Done"), deeds.done, "quiet"));
    this.element = h(
      "div",
      { class: "pick no-print" },
      this.say,
      this.join,
      this.palette?.element ?? this.mark,
      this.deeds,
    );
    new ResizeObserver(() => this.#leaveRoom()).observe(this.element);
  }

  /** The labels stay in view above the cards; whatever gets the focus must not come to lie behind them. */
  #leaveRoom() {
    this.element.closest(".beside")?.style.setProperty("--pick", `${this.element.offsetHeight}px`);
  }

  /**
   * @param {object} state
   * @param {string} state.chosen the words that are chosen, if any
   * @param {{id: string, label?: string} | undefined} state.span the mark that is worked on
   * @param {{ask: string} | undefined} state.link what is being linked to it
   * @param {boolean} state.readOnly
   */
  update({ chosen, span, link, readOnly }) {
    const ready = !readOnly && Boolean(chosen || span || link);
    this.palette?.update({ ready, label: span?.label ?? "", readOnly });
    this.element.classList.toggle("ready", ready);
    this.join.hidden = readOnly || !link || !chosen;
    this.mark.hidden = readOnly || Boolean(link);
    this.deeds.hidden = !ready;
    this.describe.hidden = this.remove.hidden = !span || Boolean(link) || Boolean(chosen);
    this.say.textContent = readOnly ? "" : hint(chosen, span, link);
    this.say.classList.remove("problem");
  }

  /** Say why something was not done. @param {string} words */
  tell(words) {
    this.say.textContent = words;
    this.say.classList.add("problem");
  }
}

const linkHint = (question, chosen) =>
  chosen
    ? _("{question}: choose the words in the text, then press Enter. Esc: later.", { question })
    : _("{question}: choose the words in the text. Esc: later.", { question });

function hint(chosen, span, link) {
  if (link) return linkHint(link.ask, chosen);
  if (chosen) return _("Chosen: “{words}”", { words: chosen.slice(0, 80) });
  if (span?.id.startsWith("?")) return _("Suggested. Enter: accept, Delete: dismiss, another label: change it.");
  if (span) return _("This mark: choose another label, or describe it below.");
  return _("Choose words in the text: click, drag, or use the arrow keys.");
}

/** A button; the key in it presses it while the text has the focus. */
function button(words, onclick, tone = "", key = "") {
  return h("button", { type: "button", class: tone, onclick }, words, key && [" ", h("kbd", { "aria-hidden": "true" }, key)]);
}
