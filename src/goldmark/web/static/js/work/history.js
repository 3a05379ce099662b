// The answers of one unit and everything they have been, so that any change can be undone.

/** @typedef {Record<string, any>} Answers never changed in place: every change is a new object */

const TOGETHER = 1500; // milliseconds within which typing in one field counts as one change

export class History {
  #past = [];
  #future = [];
  #last = { part: "", at: -Infinity };

  /**
   * @param {Answers} answers
   * @param {(answers: Answers, why: string) => void} changed called after every change
   * @param {() => number} now
   */
  constructor(answers, changed, now = () => performance.now()) {
    this.answers = answers;
    this.changed = changed;
    this.now = now;
  }

  /**
   * Replace the answers. Changes of the same `part` in quick succession are undone together.
   * @param {Answers} answers
   * @param {string} [part] such as "errors.e1.correction", for typing
   */
  change(answers, part = "") {
    const at = this.now();
    const continues = part !== "" && part === this.#last.part && at - this.#last.at < TOGETHER;
    if (!continues) this.#past.push(this.answers);
    this.#last = { part, at };
    this.#future = [];
    this.answers = answers;
    this.changed(answers, "change");
  }

  /** @param {string} question @param {any} value nothing removes the answer @param {string} [part] */
  set(question, value, part) {
    const { [question]: _, ...others } = this.answers;
    const gone = value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
    this.change(gone ? others : { ...others, [question]: value }, part);
  }

  get canUndo() {
    return this.#past.length > 0;
  }

  get canRedo() {
    return this.#future.length > 0;
  }

  undo() {
    return this.#step(this.#past, this.#future, "undo");
  }

  redo() {
    return this.#step(this.#future, this.#past, "redo");
  }

  #step(from, to, why) {
    if (!from.length) return false;
    to.push(this.answers);
    this.answers = from.pop();
    this.#last = { part: "", at: -Infinity };
    this.changed(this.answers, why);
    return true;
  }
}
