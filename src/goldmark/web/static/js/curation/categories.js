// The labels as buttons. Small letters are commands at the workspace, so a category is called by its capital.
import { h } from "../dom.js";
import { Palette } from "../spans/palette.js";

function capitals(question) {
  if (!question.labels) return { ...question, labels: { labels: [], priority: [] } };
  const labels = question.labels.labels.map((label) => ({ ...label, key: label.key.toUpperCase() }));
  return { ...question, labels: { ...question.labels, labels } };
}

const lower = (word) => word.toLowerCase();

export class Categories {
  /** @param {any} question @param {(path: string) => void} pick */
  constructor(question, pick) {
    this.palette = new Palette(capitals(question), pick);
    this.element = h(
      "section",
      { class: "chooser", "aria-labelledby": "chooser-title" },
      h("h3", { id: "chooser-title" }, "Category"),
      this.palette.element,
    );
    this.none = !question.labels;
  }

  /** @param {{ready: boolean, label: string, readOnly: boolean}} state */
  draw(state) {
    this.palette.update(state);
    this.element.hidden = state.readOnly || this.none;
  }

  close() {
    return this.palette.close();
  }

  /** @param {string} key @param {boolean} anyCase small letters too @returns {boolean} whether a category has it */
  key(key, anyCase) {
    const same = (label) =>
      label.key === key || ((anyCase || label.key === lower(label.key)) && lower(label.key) === lower(key));
    const label = this.palette.level.find(same);
    if (!label) return false;
    const button = this.palette.list.querySelector(`[data-path="${CSS.escape(label.path)}"]`);
    /** @type {HTMLElement} */ (button).click();
    return true;
  }
}
