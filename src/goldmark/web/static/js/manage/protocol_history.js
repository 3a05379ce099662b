// Undo and redo of a protocol's text: every edit is a step, whether it was made in a field, by a button or in the YAML.
const MOST = 200;

const undo = /** @type {HTMLButtonElement} */ (document.getElementById("undo"));
const redo = /** @type {HTMLButtonElement} */ (document.getElementById("redo"));
const told = document.getElementById("told");

export class History {
  #texts;
  #at = 0;

  /** @param {string} text as it is now @param {(text: string) => void} show puts an earlier or later one there */
  constructor(text, show) {
    this.#texts = [text];
    this.show = show;
    undo.addEventListener("click", () => this.#go(-1, "Undone."));
    redo.addEventListener("click", () => this.#go(1, "Done again."));
  }

  /** One more step; what was undone before it is gone. @param {string} text */
  add(text) {
    if (text === this.#texts[this.#at]) return;
    this.#texts = [...this.#texts.slice(0, this.#at + 1), text].slice(-MOST);
    this.#at = this.#texts.length - 1;
    this.#buttons();
  }

  /** @param {string} words for whoever does not see it */
  tell(words) {
    if (told) told.textContent = words;
  }

  #go(by, words) {
    const to = this.#at + by;
    if (to < 0 || to >= this.#texts.length) return;
    this.#at = to;
    this.show(this.#texts[to]);
    this.#buttons();
    this.tell(words);
  }

  #buttons() {
    undo.disabled = this.#at === 0;
    redo.disabled = this.#at === this.#texts.length - 1;
  }
}
