// Forms with files (`form.keep-files`): when something is refused, the chosen files stay chosen.
//
// A page that comes back from the server has every field as it was written, but no browser lets a page choose files. So
// the form is sent from here; what comes back takes the place of what is shown, and the fields with their files go
// back into it. Without this script the form is sent as ever.
import { localTimes } from "./times.js";

document.addEventListener("submit", async (event) => {
  const form = event.target instanceof HTMLFormElement ? event.target : null;
  if (!form?.matches(".keep-files")) return;
  event.preventDefault();
  const submitter = /** @type {HTMLButtonElement | null} */ (event.submitter);
  const sent = new FormData(form, submitter);
  for (const old of document.querySelectorAll("main .notice.good[role=status], #wrong")) old.remove(); // of the last time
  for (const button of form.querySelectorAll("button")) button.disabled = true;
  try {
    const reply = await fetch(form.action, { method: "POST", body: sent });
    if (reply.redirected) location.assign(reply.url);
    else show(new DOMParser().parseFromString(await reply.text(), "text/html"), form);
  } catch {
    form.submit(); // the browser says what is wrong with the connection
  }
  for (const button of form.querySelectorAll("button")) button.disabled = false;
});

/**
 * Show what came back, with what only this page knows put back into it.
 * @param {Document} reply @param {HTMLFormElement} form
 */
function show(reply, form) {
  const old = document.querySelector("main");
  const fresh = reply.querySelector("main");
  if (!fresh?.querySelector(".keep-files")) return tell((fresh ?? reply.body).textContent, form);
  for (const place of fresh.querySelectorAll(".keep-files input[type=file], .keep-files [data-kept]")) {
    const kept = place.id && old.querySelector(`#${CSS.escape(place.id)}`);
    if (!kept) continue;
    for (const name of ["aria-invalid", "aria-describedby"]) {
      if (place.hasAttribute(name)) kept.setAttribute(name, place.getAttribute(name));
      else kept.removeAttribute(name);
    }
    place.replaceWith(kept);
  }
  localTimes(fresh);
  old.replaceWith(fresh);
  document.title = reply.title;
  document.getElementById("wrong")?.focus();
  return undefined;
}

/** Another page altogether, such as that of a file that is too large: its words stand above the form. */
function tell(words, form) {
  const told = document.createElement("div");
  told.id = "wrong";
  told.className = "notice bad";
  told.tabIndex = -1;
  told.setAttribute("role", "alert");
  told.textContent = words.replace(/\s+/g, " ").trim();
  form.before(told);
  told.focus();
}
