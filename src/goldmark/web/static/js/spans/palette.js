// The labels of a taxonomy as buttons, one level at a time; each has its key, letter, colour and underline.
import { freshId, h } from "../dom.js";
import { _ } from "../language.js";
import { labelsByPath } from "./answers.js";

export class Palette {
  #open = null; // the label whose finer labels are shown
  #chosen = ""; // the label of the mark under the caret

  /** @param {any} question @param {(path: string, byFinger?: boolean) => void} pick */
  constructor(question, pick) {
    this.question = question;
    this.pick = pick;
    this.labels = labelsByPath(question);
    this.help = h("div", { class: "palette-help help", dir: "auto", id: freshId("palette-help") });
    this.list = h("div", { class: "labels", role: "group", "aria-label": _("Labels") });
    this.element = h("div", { class: "palette" }, this.list);
    this.#draw();
  }

  get hasFocus() {
    return this.list.contains(document.activeElement);
  }

  focus() {
    /** @type {HTMLElement} */ (this.list.firstElementChild).focus();
  }

  get level() {
    return this.#open ? this.#open.children : this.question.labels.labels;
  }

  /** A key was pressed. @returns {boolean} whether a label has it */
  key(pressed) {
    const label = this.level.find((one) => one.key === pressed.toLowerCase());
    if (label) this.#take(label);
    return Boolean(label);
  }

  /** Leave the finer level. @returns {boolean} whether one was open */
  close() {
    const wasOpen = this.#open !== null;
    this.#open = null;
    if (wasOpen) this.#draw();
    return wasOpen;
  }

  /** @param {{ready: boolean, label: string, readOnly: boolean}} state */
  update({ ready, label, readOnly }) {
    this.element.classList.toggle("ready", ready);
    this.list.inert = readOnly;
    this.element.hidden = this.help.hidden = readOnly;
    if (label === this.#chosen) return;
    this.#chosen = label;
    this.#draw();
  }

  #take(label, event) {
    if (label.children.length && this.#open !== label) {
      this.#open = label;
      this.#draw();
      return;
    }
    this.#open = null;
    this.#draw();
    this.pick(label.path, event?.pointerType === "touch");
  }

  #draw() {
    const { hasFocus } = this;
    const buttons = this.level.map((label) => this.#button(label));
    if (this.#open) {
      const { any_level: anyLevel } = this.question.labels;
      if (anyLevel) buttons.unshift(this.#whole(this.#open));
      buttons.unshift(
        h(
          "button",
          { type: "button", class: "label-button back", onclick: () => this.close() },
          `‹ ${this.#open.title}`,
          h("kbd", { "aria-hidden": "true" }, "Esc"),
        ),
      );
    }
    this.list.replaceChildren(...buttons);
    this.#describe(null);
    if (hasFocus) this.focus();
  }

  #whole(label) {
    return h(
      "button",
      { type: "button", class: "label-button", onclick: (event) => this.#take(label, event) },
      _("{label}, no finer", { label: label.title }),
    );
  }

  #button(label) {
    const { tone } = this.labels.get(label.path);
    const chosen = this.#chosen === label.path || this.#chosen.startsWith(`${label.path}.`);
    const describe = () => this.#describe(label);
    return h(
      "button",
      {
        type: "button",
        class: "label-button",
        "aria-pressed": String(chosen),
        "data-path": label.path,
        title: label.help,
        onclick: (event) => this.#take(label, event),
        onfocus: describe,
        // Not on entering: after a choice another label lies under a mouse that has not moved.
        onpointermove: (event) => event.pointerType === "mouse" && describe(),
      },
      h("span", { class: "letter", "data-tone": tone, "aria-hidden": "true" }, label.mark),
      h("span", { class: "label-title" }, label.title, label.children.length ? " …" : ""),
      label.key && h("kbd", { "aria-hidden": "true" }, label.key),
    );
  }

  #describe(label) {
    const { priority } = this.question.labels;
    const names = priority.map((path) => this.labels.get(path)?.title ?? path);
    const order = names.length ? _("When several fit, prefer the first of: {labels}.", { labels: names.join(", ") }) : "";
    // One level down there are few labels, and the person is choosing: what each means stands there at once.
    const all = this.#open && !label ? this.level.filter((one) => one.help) : [];
    this.help.replaceChildren(
      ...(all.length
        ? [h("dl", { class: "label-meanings" }, all.flatMap((one) => [h("dt", {}, one.title), h("dd", {}, one.help)]))]
        : [(label ?? this.labels.get(this.#chosen))?.help || order]),
    );
  }
}
