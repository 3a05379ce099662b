// Drafts: every change is kept in this browser at once and on the server a moment later; then this browser forgets it,
// so that whoever uses it next finds nothing there. When a unit is opened, the newest of what was submitted, what the
// server has and what this browser has is offered, and the page says which.
import { Refused } from "./api.js";

const PAUSE = 1200; // milliseconds without a change before the server is told
const RETRIES = [2000, 5000, 10_000, 30_000];

/** @typedef {{answers: Record<string, any>, at: string, version: number, unsaved: boolean, seconds: number}} Local */
/** @typedef {{answers: Record<string, any>, saved_at: string, version: number, seconds_active: number}} Remote */
/** @typedef {{answers: object, from: "here" | "server", at: string, seconds: number, other: object | null}} Found */

/**
 * Which draft to go on with. Changes in this browser that the server has not seen win over the version they were made
 * from; if another device has saved since, the later of the two wins and the other one is handed back too.
 * @param {Local | null} local
 * @param {Remote | null} remote
 * @returns {Found | null}
 */
export function newest(local, remote) {
  const here = local?.unsaved ? local : null;
  if (!here && !remote) return null;
  const fromHere = () => ({ answers: here.answers, from: "here", at: here.at, seconds: here.seconds, other: null });
  const fromServer = () => ({
    answers: remote.answers,
    from: "server",
    at: remote.saved_at,
    seconds: remote.seconds_active,
    other: null,
  });
  if (!remote) return fromHere();
  if (!here) return fromServer();
  if (here.version >= remote.version) return fromHere();
  const savedWhileClosing = JSON.stringify(here.answers) === JSON.stringify(remote.answers);
  if (savedWhileClosing) return fromServer();
  if (Date.parse(here.at) > Date.parse(remote.saved_at)) return { ...fromHere(), other: remote.answers };
  return { ...fromServer(), other: here.answers };
}

export class Drafts {
  #timer = 0;
  #failures = 0;
  #current = null;

  /**
   * @param {import("./api.js").Api} api
   * @param {import("./local_store.js").LocalStore} localStore
   * @param {object} page
   * @param {(name: "saved" | "saving" | "kept" | "refused", at?: string) => void} page.state
   * @param {(draft: Remote) => void} page.conflict
   * @param {() => number} page.seconds
   */
  constructor(api, localStore, page) {
    this.api = api;
    this.localStore = localStore;
    this.page = page;
    addEventListener("online", () => this.#current?.unsaved && this.#save());
    addEventListener("pagehide", () => this.#current?.unsaved && this.#save(true));
  }

  /** Start on an assignment. @returns {Found | null} the draft to go on with */
  open(assignment) {
    clearTimeout(this.#timer);
    const found = newest(this.localStore.get(`draft:${assignment.id}`), assignment.draft);
    this.#failures = 0;
    this.#current = { id: assignment.id, answers: null, version: assignment.draft?.version ?? 0, unsaved: false };
    return found;
  }

  /** The answers have changed. */
  changed(answers) {
    const current = this.#current;
    if (!current) return;
    Object.assign(current, { answers, unsaved: true });
    this.#keep(current);
    this.page.state("saving");
    this.#later(PAUSE);
  }

  /** What another device has saved since, unless something here is still unsaved. @param {Remote | null} draft */
  overtakenBy(draft) {
    const current = this.#current;
    if (!current || !draft || current.unsaved || draft.version <= current.version) return null;
    current.version = draft.version;
    return draft;
  }

  /** The answer was accepted, or the unit is left: nothing more to save. */
  close({ forget }) {
    clearTimeout(this.#timer);
    if (forget && this.#current) this.localStore.drop(`draft:${this.#current.id}`);
    else if (this.#current?.unsaved) this.#save();
    this.#current = null;
  }

  /** Wait with saving, because the answer itself is on its way. */
  hold() {
    clearTimeout(this.#timer);
  }

  #keep(current) {
    const { answers, version, unsaved } = current;
    this.localStore.put(`draft:${current.id}`, {
      answers,
      version,
      unsaved,
      at: new Date().toISOString(),
      seconds: this.page.seconds(),
    });
  }

  /** The server has this. What was written since, by whoever opened the unit again meanwhile, it has not. */
  #forget(id, sent) {
    const kept = this.localStore.get(`draft:${id}`);
    if (JSON.stringify(kept?.answers) === JSON.stringify(sent)) this.localStore.drop(`draft:${id}`);
  }

  #later(pause) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#save(), pause);
  }

  async #save(leaving = false) {
    const current = this.#current;
    if (!current) return;
    const sent = current.answers;
    try {
      const body = { answers: sent, version: current.version, seconds_active: this.page.seconds() };
      const { version, saved_at } = await this.api.saveDraft(current.id, body, leaving);
      this.#failures = 0;
      current.version = version;
      current.unsaved = current.answers !== sent; // something may have changed while it was on its way
      if (!current.unsaved) this.#forget(current.id, sent);
      if (current !== this.#current) return;
      if (current.unsaved) this.#keep(current);
      else this.page.state("saved", saved_at);
    } catch (error) {
      if (current !== this.#current) return;
      if (error instanceof Refused && error.status === 409 && error.body.draft)
        return this.#overtaken(current, error.body.draft);
      const again = !(error instanceof Refused);
      this.page.state(again ? "kept" : "refused");
      if (again) this.#later(RETRIES[Math.min(this.#failures++, RETRIES.length - 1)]);
    }
  }

  // Another device saved in the meantime. What is being typed here is the newest, so it is saved on top; the page
  // offers the other draft, so that neither is lost.
  #overtaken(current, draft) {
    current.version = draft.version;
    this.#keep(current);
    this.page.conflict(draft);
    this.#later(PAUSE);
  }
}
