// Reviewing by keyboard: a approves, r returns (or goes to the comment while nothing is said yet), n goes on; j and k go
// from one place that can be remarked on to the next and back, and Enter opens it.
import { combined, readings } from "../keys.js";

const form = document.getElementById("review");

const types = (target) => target instanceof Element && target.matches("input, textarea, select, [contenteditable]");
const press = (verdict) => form.querySelector(`button[value="${verdict}"]`).click();
const said = () => [...form.querySelectorAll("textarea")].some((field) => field.value.trim());

const remark = (step) => {
  const places = [...form.querySelectorAll("details.remark > summary")];
  const here = places.findIndex((place) => place.parentElement.contains(document.activeElement));
  const from = here < 0 && step < 0 ? 0 : here;
  places[(from + step + places.length) % places.length]?.focus();
};

const KEYS = {
  a: () => press("approved"),
  // A spot check needs to know the stage, so it goes to the first remark instead of the comment.
  r: () => {
    if (said()) press("returned");
    else if (form.action.includes("/spot-check/")) remark(1);
    else form.querySelector("#comment").focus();
  },
  j: () => remark(1),
  k: () => remark(-1),
  n: () => document.getElementById("next").click(),
};

document.addEventListener("keydown", (event) => {
  if (!form || event.defaultPrevented || event.isComposing) return;
  const command = event.ctrlKey || event.metaKey;
  if (types(event.target)) {
    // From inside a comment: Ctrl+Enter sends it back, Escape leaves the field so that the letters work again.
    if (command && event.key === "Enter") press("returned");
    else if (event.key === "Escape") event.target.blur();
    return;
  }
  const does = !combined(event) && KEYS[readings(event).find((key) => KEYS[key])];
  if (!does) return;
  event.preventDefault();
  does();
});

// A remark that is opened is about to be written.
for (const remark of document.querySelectorAll("details.remark"))
  remark.addEventListener("toggle", () => remark.open && remark.querySelector("textarea").focus());
