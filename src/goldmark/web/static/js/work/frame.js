// The frame around the work: the bar with status, progress and tools, and the place where views are shown.
import { h } from "../dom.js";
import { _, LOCALE } from "../language.js";
import { readings } from "../keys.js";
import { spoken } from "./activity.js";

/** The time of day, with the date unless it is today. */
export function clock(iso) {
  const [then, time] = [new Date(iso), { hour: "2-digit", minute: "2-digit" }];
  const today = then.toDateString() === new Date().toDateString();
  return then.toLocaleString(LOCALE, today ? time : { ...time, day: "numeric", month: "short" });
}

const STATES = {
  saving: () => _("Saving …"),
  saved: (at) => _("Draft saved {time}", { time: clock(at) }),
  kept: () => _("Offline: kept here"),
  refused: () => _("Not on the server: kept here"),
  sending: () => _("Sending …"),
  queued: () => _("Kept here, not sent yet"),
  sent: () => _("Saved"),
};

export class Frame {
  /** @param {HTMLElement} root where views are shown */
  constructor(root) {
    this.root = root;
    this.bar = Object.fromEntries(["status", "progress", "tools"].map((id) => [id, document.getElementById(id)]));
    // An answer that waits is safe, but it is sent only while the page is open.
    addEventListener("beforeunload", (event) => this.bar.status.dataset.state === "queued" && event.preventDefault());
  }

  /** @param {HTMLElement} view */
  show(view) {
    this.root.replaceChildren(view);
    scrollTo(0, 0);
    /** @type {HTMLElement | null} */ (view.querySelector("h1[tabindex]"))?.focus({ preventScroll: true });
  }

  /** Press the page's one button that goes on, if it has one. @returns {boolean} */
  goOn() {
    const button = /** @type {HTMLButtonElement | null} */ (this.root.querySelector("button[data-goes-on]"));
    button?.click();
    return Boolean(button);
  }

  /** @param {string} name a key of STATES, or nothing @param {string} [at] when it was saved */
  status(name, at) {
    this.bar.status.dataset.state = name;
    this.bar.status.textContent = STATES[name]?.(at) ?? "";
  }

  /**
   * @param {{batch_done: number, batch_size: number | null}} progress
   * @param {boolean} working is a text on the page that counts as the next one?
   * @param {number} seconds
   * @param {number} units how many there are; without batches, nobody gets more
   */
  progress({ batch_done: done, batch_size: size }, working, seconds, units) {
    const at = working && (!size || done < size) ? done + 1 : done;
    const words = [size ? _("{at} of {all}", { at, all: size }) : _("{at} of at most {all}", { at, all: units }), seconds >= 60 && spoken(seconds)];
    this.bar.progress.textContent = words.filter(Boolean).join(" · ");
    this.bar.progress.title = _("Where you are in this batch, and how long you have worked");
  }

  /** Where someone is who still learns. @param {string} words */
  lesson(words) {
    this.bar.progress.textContent = words;
    this.bar.progress.title = _("Where you are before the work begins");
  }

  /** @param {Array<{words: string, key: string, does: () => void}>} tools */
  tools(tools) {
    this.offered = tools;
    const button = ({ words, key, does }) => {
      const what = { class: "quiet tool", "aria-keyshortcuts": key, title: `${words} (${key})` };
      const hint = h("kbd", { "aria-hidden": "true" }, key);
      return h("button", { type: "button", ...what, onclick: does }, h("span", {}, words), " ", hint);
    };
    this.bar.tools.replaceChildren(...tools.map(button));
  }

  /** The tool that a key stands for, if there is one. @param {KeyboardEvent} event */
  toolOf(event) {
    const keys = event.key === "F1" ? ["i"] : readings(event);
    return this.offered.find(({ key }) => keys.includes(key));
  }
}
