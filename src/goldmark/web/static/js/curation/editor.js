// Words about a mark or the whole text: a correction, a comment, a note; what people wrote is offered.
import { h } from "../dom.js";

export const MOST_WORDS = 2000;

export class Editor {
  /** @param {() => void} leave what to do when it is closed */
  constructor(leave) {
    this.leave = leave;
    this.element = h("div", { class: "editor card", hidden: true });
  }

  get open() {
    return !this.element.hidden;
  }

  /**
   * @param {string} name @param {string} before @param {string[]} offers
   * @param {(words: string) => boolean} keep whether the words were taken
   */
  ask(name, before, offers, keep) {
    const box = /** @type {HTMLTextAreaElement} */ (
      h("textarea", { id: "editor-words", maxlength: MOST_WORDS, rows: 2, dir: "auto" })
    );
    box.value = before;
    const done = () => keep(box.value.trim()) && this.leave();
    box.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.leave();
      if (event.key !== "Enter" || event.shiftKey) return;
      event.preventDefault();
      done();
    });
    const offered = [...new Set(offers.filter(Boolean))].map((words) => this.#offer(box, words));
    const key = (name) => h("kbd", { "aria-hidden": "true" }, name);
    this.element.replaceChildren(
      h("label", { for: "editor-words" }, name),
      box,
      offered.length ? h("div", { class: "row", role: "group", "aria-label": "What people wrote" }, offered) : "",
      h(
        "div",
        { class: "row" },
        h("button", { type: "button", onclick: done }, "Keep ", key("Enter")),
        h("button", { type: "button", class: "quiet", onclick: () => this.leave() }, "Cancel ", key("Esc")),
      ),
    );
    this.element.hidden = false;
    box.focus();
    box.select();
  }

  #offer(box, words) {
    const take = () => {
      box.value = words;
      box.focus();
    };
    return h("button", { type: "button", class: "offer", onclick: take }, h("bdi", {}, words));
  }

  close() {
    this.element.hidden = true;
    this.element.replaceChildren();
  }
}
