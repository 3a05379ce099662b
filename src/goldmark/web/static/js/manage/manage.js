// What managers' pages do beyond plain forms and links; without any of it they still work.
import { localTimes } from "./times.js";
import { keepLive } from "./live.js";
import { bringIn } from "./parts.js";
import { openSmallForms } from "./small_forms.js";
import { showStrength } from "./password_strength.js";

localTimes(document);
keepLive(localTimes);
bringIn(localTimes);
openSmallForms();
showStrength();

document.addEventListener("click", async (event) => {
  const button = event.target instanceof Element ? event.target.closest("button") : null;
  if (button?.matches("[data-copy]")) copy(button);
  if (button?.matches("[data-reveal]")) reveal(button);
  if (button?.matches("[data-save]")) save(button);
});

/** Keep what is written in a field as a file, for the next time. */
function save(button) {
  const field = /** @type {HTMLTextAreaElement} */ (document.getElementById(button.dataset.save));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([field.value], { type: "text/yaml" }));
  link.download = button.dataset.name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Put the text of the field beside the button into the clipboard. */
async function copy(button) {
  const field = button.parentElement.querySelector("input");
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    document.execCommand("copy"); // no clipboard outside https and localhost
  }
  const before = button.innerHTML;
  button.textContent = "Copied";
  setTimeout(() => (button.innerHTML = before), 1500);
}

/** Show or hide what is typed as a password. */
function reveal(button) {
  const field = document.getElementById(button.dataset.reveal);
  const shown = field.type === "text";
  field.type = shown ? "password" : "text";
  button.textContent = shown ? "Show" : "Hide";
  button.setAttribute("aria-pressed", String(!shown));
}

// After a refused form, begin where the trouble is.
document.getElementById("wrong")?.focus();
