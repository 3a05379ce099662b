// `slider`: a point on a line between two words.
import { h } from "../dom.js";
import { register } from "./registry.js";

register("slider", {
  create(question, host) {
    const input = h("input", {
      type: "range",
      min: "0",
      max: "100",
      "aria-label": question.ask,
      onchange: () => host.set(input.valueAsNumber),
    });
    return {
      element: h("div", { class: "row" }, question.left, input, question.right),
      update(value, { readOnly }) {
        if (value !== undefined) input.value = value;
        input.disabled = readOnly;
      },
      focus: () => input.focus(),
    };
  },
  check: () => [],
});
