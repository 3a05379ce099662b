// `best_worst`: the best and the worst of a few texts, as two rows of the same options. The answer is "best>worst"; while
// only one is chosen the other side is empty, so that a draft keeps it.
import { freshId, h } from "../dom.js";
import { _ } from "../language.js";
import { drawOptions } from "./choice.js";
import { register } from "./registry.js";

const sides = (question, value) => {
  const found = typeof value === "string" ? value.split(question.apart) : [];
  return [found[0] ?? "", found[1] ?? ""];
};

function create(question, host) {
  let chosen = ["", ""];

  /** No text is both: whoever calls the best text the worst has changed their mind. */
  function choose(place, role) {
    const next = [...chosen];
    next[place] = role;
    if (next[1 - place] === role) next[1 - place] = "";
    host.set(next.join(question.apart));
  }

  const rows = question.parts.map((part, place) => {
    const id = freshId(question.id);
    const widget = drawOptions({ ...question, options: part.options }, { set: (role) => choose(place, role) }, {
      many: false,
      read: (value) => sides(question, value)[place],
    });
    const element = h("div", { class: "end", role: "group", "aria-labelledby": id }, h("p", { class: "end-name", id, dir: "auto" }, part.title), widget.element);
    return { element, widget };
  });
  return {
    element: h("div", { class: "ends" }, rows.map(({ element }) => element)),
    update(value, state) {
      chosen = sides(question, value);
      for (const { widget } of rows) widget.update(value, state);
    },
    focus() {
      const open = chosen.findIndex((role) => !role);
      rows[open < 0 ? 0 : open].widget.focus();
    },
    key: (pressed) => rows.some(({ widget }) => widget.key(pressed)),
  };
}

register("best_worst", {
  create,
  check(question, value) {
    const [best, worst] = sides(question, value);
    if (!best) return [{ what: _("Choose the best text as well.") }];
    if (!worst) return [{ what: _("Choose the worst text as well.") }];
    return [];
  },
});
