// The curator's steps: those that are saved, those on their way, and what they lead to. Drawing waits for no reply.
import { NotPossible, fold, inForce, touched, wrongWith } from "./fold.js";

/** @typedef {import("./fold.js").Step} Step */

/** The session has ended; what is on its way waits for another. */
class SignedOut extends Error {}

const RETRY = [1, 2, 4, 8, 15, 30]; // seconds

export class Model extends EventTarget {
  /** @type {Step[]} */ #pending = [];
  #busy = false;
  #tries = 0;

  /** @param {any} config what the server sent with the page */
  constructor(config) {
    super();
    this.config = config;
    /** @type {Step[]} */ this.saved = config.steps;
    this.state = fold(this.saved);
    this.unsaved = "";
  }

  get steps() {
    return [...this.saved, ...this.#pending];
  }

  get waiting() {
    return this.#pending.length;
  }

  /**
   * Take a step: it is seen at once and saved behind the scenes.
   * @param {string} kind @param {any} facts @param {string} reason
   * @returns {string} why it cannot be taken, or nothing
   */
  take(kind, facts, reason) {
    const step = { number: this.steps.length + 1, kind, facts, reason, author: this.config.me, at: null };
    const why = this.#refusal(step);
    if (why) return why;
    this.#pending.push(step);
    this.#refold();
    this.#send();
    return "";
  }

  /** Why a step cannot follow all others, in words. @param {Step} step */
  #refusal(step) {
    if (this.state.finished && step.kind !== "reopen") return "This text is finished. Reopen it to change its list.";
    const open = this.state.entries.filter((one) => one.status === "open").length;
    if (step.kind === "finish" && open)
      return open === 1 ? "One mark is still undecided." : `${open} marks are still undecided.`;
    if (step.kind === "undo" && !inForce(this.steps).some((one) => one.number === step.facts.step))
      return "This step was taken back already.";
    try {
      return wrongWith(this.state, fold([...this.steps, step]), this.config.rules);
    } catch (error) {
      if (!(error instanceof NotPossible)) throw error;
      return step.kind === "undo" ? "Later steps build on this one: take those back first." : error.message;
    }
  }

  #refold() {
    this.state = fold(this.steps);
    this.dispatchEvent(new Event("change"));
  }

  async #send() {
    if (this.#busy || !this.#pending.length) return;
    this.#busy = true;
    const [step] = this.#pending;
    try {
      const reply = await this.post(step, this.saved.length);
      this.#tries = 0;
      this.unsaved = "";
      if (reply.ok) this.#keep(reply.body.steps);
      else if (reply.body.steps) this.#meet(reply.body.steps);
      else this.#refused(reply.body.message);
    } catch (error) {
      const wait = RETRY[Math.min(this.#tries, RETRY.length - 1)];
      this.#tries += 1;
      const why = error instanceof SignedOut ? "sign in again in another tab" : "the server cannot be reached";
      this.unsaved = `Not saved: ${why}. Trying again in ${wait} s.`;
      setTimeout(() => this.#send(), wait * 1000);
    }
    this.#busy = false;
    this.dispatchEvent(new Event("change"));
    if (!this.unsaved) this.#send();
  }

  /** @returns {Promise<{ok: boolean, body: any}>} */
  async post(/** @type {Step} */ step, after) {
    const { kind, facts, reason } = step;
    const reply = await fetch(`${this.config.address}/steps${this.config.query}`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json", "x-csrf-token": this.config.csrf },
      body: JSON.stringify({ after, kind, facts, reason, basis: this.config.basis }),
    });
    if (reply.status >= 500 || reply.status === 429) throw new Error("not now");
    if (reply.status === 401 || reply.status === 403) {
      await this.#renew();
      throw new SignedOut();
    }
    return { ok: reply.ok, body: await reply.json() };
  }

  /** After signing in again a page has another token; fetch it, so that what waits here can be saved. */
  async #renew() {
    const page = await fetch(window.location.href, { headers: { accept: "text/html" } });
    const config = new DOMParser().parseFromString(await page.text(), "text/html").getElementById("workspace-config");
    if (config?.textContent) this.config.csrf = JSON.parse(config.textContent).csrf;
  }

  /** Take a new proposal with everybody's answers of now. @returns {Promise<string>} why not, or nothing */
  async restart(/** @type {string} */ reason) {
    try {
      const { ok, body } = await this.post({ number: 0, kind: "begin", facts: {}, reason }, this.saved.length);
      return ok ? "" : body.message;
    } catch {
      return "The server cannot be reached. Try again in a moment.";
    }
  }

  #keep(/** @type {Step[]} */ steps) {
    const first = this.#pending.shift();
    if (steps.length === 1 && steps[0].kind === first?.kind) this.saved = [...this.saved, steps[0]];
    else this.saved = [...this.saved, ...steps]; // somebody went on after a reply to us was lost
    this.#settle([]);
  }

  /** Somebody else was first: theirs count, ours are taken after them where they are about something else. */
  #meet(/** @type {Step[]} */ newer) {
    const seen = new Set(this.saved.map((one) => one.number));
    const theirs = newer.filter((one) => !seen.has(one.number));
    this.saved = [...this.saved, ...theirs];
    const about = new Set(theirs.flatMap((step) => touched(step)));
    const all = theirs.some((step) => ["begin", "undo", "finish", "reopen"].includes(step.kind));
    const lost = this.#settle(about, all);
    const who = [...new Set(theirs.map((step) => step.author))].join(" and ");
    this.dispatchEvent(new CustomEvent("meeting", { detail: { who, theirs, lost } }));
  }

  #refused(message) {
    const [step] = this.#pending.splice(0, 1);
    this.#settle([]);
    const detail = `Your step (${step.kind.replaceAll("_", " ")}) was not taken: ${message}`;
    this.dispatchEvent(new CustomEvent("refused", { detail }));
  }

  /**
   * Number what is on its way anew, without what is no longer possible or is about the same marks as others' steps.
   * @param {Iterable<string>} about @param {boolean} all
   * @returns {Array<{step: Step, why: string}>} what was left out, and why
   */
  #settle(about, all = false) {
    const others = new Set(about);
    const numbers = new Map(); // marks carry the number of the step that made them: its old one, its new one
    const lost = [];
    const before = this.#pending;
    this.#pending = [];
    this.state = fold(this.saved);
    for (const step of before) {
      const again = { ...step, number: this.steps.length + 1, facts: renamed(step.facts, numbers) };
      let why = touched(again).some((id) => others.has(id)) ? "somebody else has just changed the same mark" : "";
      if (!why && all) why = "the list has changed as a whole";
      why ||= this.#refusal(again);
      if (why) lost.push({ step, why });
      else {
        this.#pending.push(again);
        numbers.set(step.number, again.number);
        this.state = fold(this.steps);
      }
    }
    this.#refold();
    return lost;
  }
}

/** Facts of a step that follows others with new numbers. @param {any} facts @param {Map<number, number>} numbers */
function renamed(facts, numbers) {
  const rename = (id) => {
    const [step, place] = id.split(".");
    return `${numbers.get(Number(step)) ?? step}.${place}`;
  };
  const after = { ...facts };
  for (const name of ["mark", "other"]) if (facts[name]) after[name] = rename(facts[name]);
  if (facts.marks) after.marks = facts.marks.map(rename);
  if (facts.step) after.step = numbers.get(facts.step) ?? facts.step;
  return after;
}
