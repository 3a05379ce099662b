// One text in two tabs of a browser: nothing is lost, because every save is kept, but who types in both should know.
import { uuid } from "./local_store.js";

export class Tabs {
  #id = uuid();
  #open = null; // the assignment that this tab shows

  /**
   * @param {string} name what tabs of one annotator have in common; nothing: they are not watched
   * @param {{also: () => void, done: () => void}} page the text is open elsewhere too; it was finished elsewhere
   */
  constructor(name, page) {
    this.channel = name && globalThis.BroadcastChannel ? new BroadcastChannel(name) : null;
    this.channel?.addEventListener("message", ({ data }) => {
      if (data.from === this.#id || data.assignment !== this.#open) return;
      if (data.what === "done") return page.done();
      page.also();
      if (data.what === "open") this.#say("also");
    });
  }

  /** This tab shows an assignment now, or none. @param {number | null} assignment */
  open(assignment) {
    if (assignment === this.#open) return;
    this.#open = assignment;
    if (assignment !== null) this.#say("open");
  }

  done() {
    this.#say("done");
    this.#open = null;
  }

  #say(what) {
    this.channel?.postMessage({ what, from: this.#id, assignment: this.#open });
  }
}
