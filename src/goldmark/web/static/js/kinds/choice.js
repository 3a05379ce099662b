// `choice` (one option), `choices` (many), `compare` (one of two texts): a list of options with a key each.
import { freshId, h } from "../dom.js";
import { ngettext } from "../language.js";
import { register } from "./registry.js";

/** Native radio buttons or check boxes: arrow keys, screen readers and forced colours work by themselves. */
export function drawOptions(question, host, { many, read }) {
  const name = freshId(question.id);
  const inputs = new Map();
  let value = many ? [] : undefined;
  const longest = Math.max(...question.options.map((option) => option.title.length));
  const inRow =
    !many && question.options.length <= 7 && longest <= 24 && question.options.every((option) => !option.help);

  function choose(id) {
    if (!many) return host.set(id);
    const chosen = value.includes(id) ? value.filter((one) => one !== id) : [...value, id];
    return host.set(question.options.map((option) => option.id).filter((one) => chosen.includes(one)));
  }

  const list = h(
    "div",
    { class: `options${inRow ? " in-row" : ""}` },
    question.options.map((option) => {
      const help = option.help ? freshId("help") : null;
      const input = h("input", {
        type: many ? "checkbox" : "radio",
        name,
        value: option.id,
        "aria-describedby": help,
        onchange: () => choose(option.id),
      });
      inputs.set(option.id, input);
      return h(
        "label",
        { class: "option" },
        input,
        h(
          "span",
          { class: "option-words" },
          h("span", { dir: "auto" }, option.title),
          help && h("span", { class: "help", id: help, dir: "auto" }, option.help),
        ),
        option.key && h("kbd", { "aria-hidden": "true" }, option.key),
      );
    }),
  );

  list.style.setProperty("--options", String(question.options.length));
  return {
    element: list,
    update(next, { readOnly }) {
      value = read(next);
      for (const [id, input] of inputs) {
        input.checked = many ? value.includes(id) : value === id;
        input.disabled = readOnly && !input.checked;
        input.setAttribute("aria-disabled", String(readOnly));
      }
    },
    focus() {
      const chosen = [...inputs.values()].find((input) => input.checked) ?? inputs.values().next().value;
      chosen.focus();
    },
    key(pressed) {
      const option = question.options.find((one) => one.key === pressed);
      if (option) choose(option.id);
      return Boolean(option);
    },
  };
}

const one = {
  create: (question, host) => drawOptions(question, host, { many: false, read: (value) => value }),
  check: () => [],
};

register("choice", one);
register("compare", one);
register("choices", {
  many: true,
  create: (question, host) => drawOptions(question, host, { many: true, read: (value) => value ?? [] }),
  blank: (question) => (question.at_least > 0 ? undefined : []),
  check(question, value) {
    if (value.length < question.at_least) return [{ what: ngettext("Choose at least one.", "Choose at least {count}.", question.at_least) }];
    if (question.at_most && value.length > question.at_most) return [{ what: ngettext("Choose at most one.", "Choose at most {count}.", question.at_most) }];
    return [];
  },
});
