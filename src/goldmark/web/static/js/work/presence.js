// Tells the server once a minute that somebody is at this page, so that their text and their place are kept for them and
// those of people who left come back soon. Whoever has been still for long is asked, with the time until which they have.
import { _ } from "../language.js";
import { clock } from "./frame.js";

const LOOK = 15_000; // milliseconds between two looks at the clock
const EVERY = 60_000; // how often the server is told
const STILL = 5 * EVERY; // without a sign for so long, nobody says that somebody is here
const WARN = 3 * EVERY; // how long before the end somebody is asked

export class Presence {
  #until = 0; // when what is kept would be given to others
  #told = 0;
  #notice = null;

  /**
   * @param {import("./api.js").Api} api
   * @param {import("./activity.js").Activity} activity
   * @param {() => import("./unit_page.js").UnitPage | null} page
   */
  constructor(api, activity, page, now = () => Date.now()) {
    Object.assign(this, { api, activity, page, now });
    this.#told = now();
  }

  watch() {
    setInterval(() => this.look(), LOOK);
    for (const sign of ["pointerdown", "keydown"])
      addEventListener(sign, () => this.#notice && this.#tell(), { passive: true, capture: true });
  }

  /** Tell the server, ask, or do nothing: by how long somebody has been still. */
  async look() {
    const { activity, now } = this;
    if (activity.visible() && activity.idle < STILL) {
      if (now() - this.#told >= EVERY) await this.#tell();
    } else if (this.#until && this.#until - now() < WARN && !this.#notice) this.#ask();
  }

  async #tell() {
    this.#told = this.now();
    this.#notice?.remove();
    this.#notice = null;
    try {
      const { kept_until: until } = await this.api.here();
      this.#until = Date.parse(until);
    } catch {
      // The next look tries again; whoever works is heard by their drafts and answers too.
    }
  }

  #ask() {
    const words =
      this.#until > this.now()
        ? _("Are you still there? Your place is kept until {time}.", { time: clock(new Date(this.#until).toISOString()) })
        : _("Your place may have been given to somebody else meanwhile. What you marked is kept; you can go on.");
    this.#notice = this.page()?.tell(words, [{ words: _("I am here"), does: () => this.#tell() }], "warn") ?? null;
  }
}
