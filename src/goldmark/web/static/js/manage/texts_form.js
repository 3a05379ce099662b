// Texts for a campaign: what is in the chosen file is shown at once, and which column is what can be chosen.
let asked = 0;

document.addEventListener("change", (event) => {
  const form = event.target instanceof Element ? /** @type {HTMLFormElement} */ (event.target.closest("#texts-form")) : null;
  if (!form) return; // a curator may look at a campaign and add nothing
  const columns = form.querySelector("#columns");
  const files = /** @type {HTMLInputElement} */ (form.querySelector("input[type=file]"));
  if (event.target === files) columns.replaceChildren(); // another file has other columns
  if (event.target === files || columns.contains(/** @type {Node} */ (event.target))) look(form, files, columns);
});

/** @param {HTMLFormElement} form @param {HTMLInputElement} files @param {Element} columns */
async function look(form, files, columns) {
  const turn = ++asked;
  if (!files.files.length) return;
  const reply = await fetch("/campaigns/new/look", { method: "POST", body: new FormData(form) });
  if (!reply.ok || turn !== asked) return;
  const focused = columns.contains(document.activeElement) ? document.activeElement.id : "";
  const fresh = new DOMParser().parseFromString(await reply.text(), "text/html");
  columns.replaceChildren(...fresh.body.childNodes);
  if (focused) document.getElementById(focused)?.focus();
}
