// `text` (words of the annotator's own) and `number`.
import { freshId, h } from "../dom.js";
import { _, ngettext } from "../language.js";
import { register } from "./registry.js";

const length = (text) => [...text].length; // code points, as the server counts

register("text", {
  create(question, host) {
    const count = h("span", { class: "help count", id: freshId("count"), hidden: true });
    const area = h("textarea", {
      rows: "1",
      dir: "auto",
      spellcheck: "true",
      "aria-describedby": count.id,
      "aria-label": question.ask,
      oninput: () => host.set(area.value, question.id),
    });
    return {
      element: h("div", { class: "text-answer" }, area, count),
      update(value, { readOnly, problems }) {
        if (area.value !== (value ?? "")) area.value = value ?? "";
        area.readOnly = readOnly;
        area.setAttribute("aria-invalid", String(problems.length > 0));
        const missing = question.at_least - length(area.value.trim());
        const spare = question.at_most - length(area.value);
        count.hidden = !(missing > 0 && area.value) && spare > 200;
        count.textContent =
          missing > 0
            ? ngettext("{count} more character", "{count} more characters", missing)
            : ngettext("{count} character left", "{count} characters left", spare);
      },
      focus: () => area.focus(),
    };
  },
  tidy: (question, value) => value.trim(),
  check(question, value) {
    const short = question.at_least - length(value.trim());
    if (short > 0) return [{ what: _("Write at least {least} characters; {missing} are missing.", { least: question.at_least, missing: short }) }];
    if (length(value) > question.at_most) return [{ what: _("Write at most {most} characters.", { most: question.at_most }) }];
    return [];
  },
});

register("number", {
  create(question, host) {
    const input = h("input", {
      type: "number",
      inputmode: question.whole ? "numeric" : "decimal",
      step: question.whole ? "1" : "any",
      min: question.at_least,
      max: question.at_most,
      "aria-label": question.ask,
      class: "number-answer",
      oninput: () => host.set(Number.isNaN(input.valueAsNumber) ? undefined : input.valueAsNumber, question.id),
    });
    return {
      element: input,
      update(value, { readOnly, problems }) {
        if (document.activeElement !== input || value !== undefined) {
          if (input.valueAsNumber !== value) input.value = value ?? "";
        }
        input.readOnly = readOnly;
        input.setAttribute("aria-invalid", String(problems.length > 0));
      },
      focus: () => input.focus(),
    };
  },
  check(question, value) {
    const { at_least: least, at_most: most } = question;
    if (question.whole && !Number.isInteger(value)) return [{ what: _("Give a whole number.") }];
    if (least !== null && least !== undefined && value < least) return [{ what: _("Give at least {least}.", { least }) }];
    if (most !== null && most !== undefined && value > most) return [{ what: _("Give at most {most}.", { most }) }];
    return [];
  },
});
