// The parts of the curator's page and where they stand: tools above; text, decisions and data side by side.
import { h } from "../dom.js";
import { divider } from "./divider.js";
import { MOST_WORDS } from "./editor.js";
import { Ends } from "./modes.js";

const kbd = (key) => h("kbd", { "aria-hidden": "true" }, key);

export class Frame {
  /** @param {(key: string) => void} act */
  constructor(act) {
    const tool = (key, name) => h("button", { type: "button", onclick: () => act(key) }, name, " ", kbd(key));
    this.saved = h("span", { class: "saved soft", role: "status" });
    this.notices = h("div", { class: "notices", "aria-live": "polite" });
    this.banner = h("div", { class: "mode card", hidden: true });
    this.note = h("p", { class: "text-note", dir: "auto", hidden: true });
    this.finish = h("button", { type: "button", class: "primary", onclick: () => act("f") });
    this.reason = /** @type {HTMLInputElement} */ (
      h("input", { id: "reason", maxlength: MOST_WORDS, autocomplete: "off" })
    );
    this.tools = h(
      "div",
      { class: "row tools" },
      tool("+", "Add a mark"),
      tool("u", "Undo"),
      tool("t", "Note on the text"),
      tool("?", "Keys"),
      h("span", { class: "fill" }),
      this.saved,
      this.finish,
    );
  }

  /** @param {HTMLElement} place @param {{paper: Element, deciding: any[], data: any[]}} parts */
  fill(place, { paper, deciding, data }) {
    const why = h(
      "div",
      { class: "field" },
      h(
        "label",
        { for: "reason" },
        "Reason for the next step ",
        h("span", { class: "soft" }, "optional"),
        " ",
        kbd("r"),
      ),
      this.reason,
    );
    place.replaceChildren(
      this.tools,
      this.notices,
      h(
        "div",
        { class: "curating" },
        h("div", { class: "reading-side" }, paper, this.note, this.banner),
        divider("text-share", "Width of the text", 52),
        h(
          "div",
          { class: "sides" },
          h("div", { class: "deciding-side" }, deciding, why),
          divider("data-share", "Size of the data", data[0] ? 42 : 24, true),
          h("div", { class: `data-side${data[0] ? " with-data" : ""}` }, data),
        ),
      ),
    );
    this.#fit(place);
  }

  /** Decisions and data fill what is left of the window below what stands above them, so neither is below the fold. */
  #fit(/** @type {HTMLElement} */ place) {
    const curating = /** @type {HTMLElement} */ (place.querySelector(".curating"));
    const fit = () => curating.style.setProperty("--above", `${Math.max(curating.getBoundingClientRect().top, 112)}px`);
    for (const when of ["scroll", "resize"]) addEventListener(when, fit, { passive: true });
    requestAnimationFrame(fit);
  }

  /** @param {import("./fold.js").State} state @param {{waiting: number, unsaved: string}} model */
  draw(state, { waiting, unsaved }) {
    this.note.hidden = !state.note;
    this.note.textContent = state.note ? `Note on the text: ${state.note}` : "";
    const settled = state.finished ? "Finished and saved" : "All saved";
    const words = unsaved || (waiting ? "Saving…" : settled);
    if (this.saved.textContent !== words) this.saved.textContent = words;
    this.#count(state.finished);
    this.saved.classList.toggle("problem", Boolean(unsaved));
    const name = state.finished ? "Reopen " : "Finish ";
    if (this.finish.firstChild?.textContent !== name)
      this.finish.replaceChildren(name, kbd(state.finished ? "o" : "f"));
  }

  /** How many texts are curated, this one among them as soon as it is finished. */
  #count(finished) {
    const curated = document.getElementById("curated");
    if (!curated) return;
    this.others ??= Number(curated.textContent) - (finished ? 1 : 0);
    curated.textContent = String(this.others + (finished ? 1 : 0));
  }

  /**
   * @param {any} mode @param {string} quote
   * @param {{arrow: (by: number, shift: boolean) => void, keep: () => void, leave: () => boolean}} hands
   */
  drawMode(mode, quote, hands) {
    this.banner.hidden = !mode;
    if (!mode) return;
    const button = (name, go, key) => h("button", { type: "button", onclick: go }, name, " ", kbd(key));
    const arrow = (name, by, shift) =>
      h(
        "button",
        {
          type: "button",
          "aria-label": `${name} one word ${by < 0 ? "back" : "on"}`,
          onclick: () => hands.arrow(by, shift),
        },
        by < 0 ? "◂" : "▸",
      );
    const arrows = (name, shift) => [arrow(name, -1, shift), h("span", { class: "soft" }, name), arrow(name, 1, shift)];
    const moving = {
      span: [arrows("start", true), arrows("end", false)],
      add: [arrows("place", false), arrows("end", true)],
      link: [arrows("place", false), arrows("end", true)],
    };
    this.banner.replaceChildren(
      h("p", {}, mode.help),
      h("p", {}, h("q", { dir: "auto" }, quote)),
      h(
        "div",
        { class: "row" },
        mode instanceof Ends && moving[mode.kind],
        mode.kind !== "add" && button("Keep", () => hands.keep(), "Enter"),
        button("Cancel", () => hands.leave(), "Esc"),
      ),
    );
  }

  /** @param {string} message @param {string} tone @param {boolean} passing it goes when something else succeeds */
  notice(message, tone, passing, ...more) {
    const away = h("button", { type: "button", class: "quiet", onclick: () => box.remove() }, "Close");
    const box = h("div", { class: `notice ${tone}${passing ? " passing" : ""}` }, h("p", {}, message), more, away);
    this.notices.replaceChildren(box);
  }

  settle() {
    this.notices.querySelector(".passing")?.remove();
  }
}
