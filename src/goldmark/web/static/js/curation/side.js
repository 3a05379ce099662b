// What stands beside the marks: the data, how far people agree on this text, what was done, and frozen versions.
import { h } from "../dom.js";
import { drawContext } from "../work/context.js";
import { inForce } from "./fold.js";

const number = (figure, places = 2) => (figure.value === null ? "–" : figure.value.toFixed(places));

/** @param {any} agreement */
export function drawAgreement(agreement) {
  const row = (name, figure) =>
    h(
      "div",
      {},
      h("dt", {}, name),
      h(
        "dd",
        { class: "number" },
        number(figure),
        figure.value === null && h("span", { class: "soft" }, ` ${figure.reason}`),
      ),
    );
  const { pairs, token_alpha: alpha, token_f1: f1 } = agreement;
  return h(
    "details",
    { class: "fold", open: true },
    h("summary", {}, h("h3", {}, "Agreement on this text")),
    h(
      "dl",
      { class: "agreement" },
      row("Krippendorff’s alpha, tokens", alpha),
      row("Token F1, mean of pairs", f1),
      pairs.length > 1 && pairs.map((pair) => row(`${pair.first} and ${pair.second}`, pair.f1)),
    ),
  );
}

/** @param {any[]} items */
export function drawData(items) {
  const context = drawContext(items);
  return context && h("details", { class: "fold", open: true }, h("summary", {}, h("h3", {}, "Data")), context);
}

const clock = new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeStyle: "short" });

export class HistoryList {
  /** @param {import("./told.js").Told} told @param {(step: number) => void} undo */
  constructor(told, undo) {
    this.told = told;
    this.undo = undo;
    this.list = h("ol", { class: "steps", reversed: true });
    this.element = h("details", { class: "fold" }, h("summary", {}, h("h3", {}, "History")), this.list);
  }

  /** @param {import("./fold.js").Step[]} steps @param {boolean} finished */
  draw(steps, finished) {
    const words = this.told.all(steps);
    const kept = new Set(inForce(steps).map((step) => step.number));
    const rows = steps.map((step, index) => {
      const fixed = ["begin", "finish", "reopen"].includes(step.kind) || finished || !kept.has(step.number);
      const when = step.at && h("time", { datetime: step.at, class: "soft" }, clock.format(new Date(step.at)));
      return h(
        "li",
        { class: kept.has(step.number) ? null : "undone", value: step.number },
        h(
          "span",
          {},
          step.author && h("bdi", { class: "who" }, step.author),
          " ",
          h("span", { dir: "auto" }, words[index]),
        ),
        !kept.has(step.number) && h("span", { class: "soft" }, " (taken back)"),
        step.reason && h("span", { class: "why", dir: "auto" }, step.reason),
        h(
          "span",
          { class: "row" },
          when,
          !step.at && step.number > 1 && h("span", { class: "soft" }, "being saved"),
          !fixed &&
            h(
              "button",
              { type: "button", class: "quiet small", onclick: () => this.undo(step.number) },
              "Undo",
              h("span", { class: "sr-only" }, ` step ${step.number}`),
            ),
        ),
      );
    });
    this.list.replaceChildren(...rows.reverse());
  }
}

/** @param {any} config */
export function drawVersions({ versions, here, unit, query }) {
  if (!versions.length) return null;
  const rows = versions.map((one) =>
    h(
      "li",
      {},
      `Version ${one.version} by `,
      h("bdi", {}, one.author),
      h("span", { class: "soft number" }, `, ${clock.format(new Date(one.at))}, ${one.mistakes} mistakes`),
    ),
  );
  return h(
    "details",
    { class: "fold" },
    h("summary", {}, h("h3", {}, "Gold lists")),
    h("ul", { class: "plain-list" }, rows),
    h("p", {}, h("a", { href: `${here}/${unit.id}/versions${query}` }, "What changed between versions")),
  );
}
