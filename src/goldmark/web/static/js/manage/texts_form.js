// Texts for a campaign: what is in the chosen file is shown at once, and the file stays chosen when something is refused.
const form = /** @type {HTMLFormElement} */ (document.getElementById("texts-form"));
const columns = document.getElementById("columns");
const files = /** @type {HTMLInputElement} */ (form?.querySelector("input[type=file]"));
let asked = 0;
if (form) begin(); // a curator may look at a campaign and add nothing

async function look() {
  const turn = ++asked;
  if (!files.files.length) return columns.replaceChildren();
  const reply = await fetch("/campaigns/new/look", { method: "POST", body: new FormData(form) });
  if (!reply.ok || turn !== asked) return undefined;
  const focused = columns.contains(document.activeElement) ? document.activeElement.id : "";
  const fresh = new DOMParser().parseFromString(await reply.text(), "text/html");
  columns.replaceChildren(...fresh.body.childNodes);
  if (focused) document.getElementById(focused)?.focus();
  return undefined;
}

function begin() {
  files.addEventListener("change", () => {
    columns.replaceChildren(); // another file has other columns
    look();
  });
  columns.addEventListener("change", look);

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = /** @type {HTMLButtonElement} */ (form.querySelector("button.send"));
    button.disabled = true;
    try {
      const reply = await fetch(form.action, { method: "POST", body: new FormData(form) });
      if (reply.redirected) location.assign(reply.url);
      else refuse(new DOMParser().parseFromString(await reply.text(), "text/html"));
    } catch {
      form.submit(); // the browser says what is wrong with the connection
    }
    button.disabled = false;
  });
}

/** Say what is wrong as the page would, with everything that was chosen still there. @param {Document} reply */
function refuse(reply) {
  for (const old of document.querySelectorAll("#wrong, #texts-form .problem")) old.remove();
  for (const field of form.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
  for (const problem of reply.querySelectorAll("#texts-form .problem")) {
    const name = problem.parentElement.querySelector("[name]")?.getAttribute("name");
    const field = form.querySelector(`[name="${CSS.escape(name ?? "")}"]`);
    field?.setAttribute("aria-invalid", "true");
    field?.closest(".field").append(problem);
  }
  const told = reply.querySelector("#wrong") ?? reply.querySelector("main .notice, main p");
  if (!told) return;
  form.before(told);
  /** @type {HTMLElement} */ (told).focus();
}
