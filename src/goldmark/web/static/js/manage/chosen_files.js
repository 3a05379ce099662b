// Forms in which files are chosen: what is in them is shown at once, and they stay chosen when something is refused.
for (const form of document.querySelectorAll("form.keep-files")) keepFiles(/** @type {HTMLFormElement} */ (form));
for (const form of document.querySelectorAll("form[data-look]")) keepLooking(/** @type {HTMLFormElement} */ (form));

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("button[data-add]") : null;
  if (button) addRow(/** @type {HTMLElement} */ (button));
});
showAdding();

/** Ask the server about the chosen file, or about the protocol, and show its reply in the parts of the form. */
function keepLooking(form) {
  let asked = 0;
  const look = async (withFiles) => {
    const turn = ++asked;
    const body = new FormData(form);
    if (!withFiles) body.delete("files");
    const reply = await fetch(form.dataset.look, { method: "POST", body });
    const told = await reply.text();
    if (!reply.ok || turn !== asked) return;
    const focused = document.activeElement?.id; // from here on nothing is waited for: nobody moves on meanwhile
    const fresh = new DOMParser().parseFromString(told, "text/html");
    for (const part of fresh.querySelectorAll("[data-part]")) {
      const name = /** @type {HTMLElement} */ (part).dataset.part;
      const aboutFiles = name !== "asked";
      if (aboutFiles === withFiles) form.querySelector(`#${name}`)?.replaceChildren(...part.childNodes);
    }
    showAdding();
    if (focused && document.activeElement?.id !== focused) document.getElementById(focused)?.focus();
  };
  form.addEventListener("change", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    const texts = target.matches("input[type=file][name=files]");
    if (texts) form.querySelector("#columns")?.replaceChildren(); // others in another file
    if (texts || target.closest("#columns")) look(true);
    else if (target.matches("[data-looks]")) look(false);
  });
}

function keepFiles(form) {
  form.addEventListener("submit", async (event) => {
    const button = /** @type {HTMLButtonElement | null} */ (event.submitter);
    if (button?.hasAttribute("data-plain")) return; // a download leaves the page as it is
    event.preventDefault();
    const body = new FormData(form, button);
    if (button) button.disabled = true;
    try {
      const reply = await fetch(form.getAttribute("action"), { method: "POST", body });
      if (reply.redirected) location.assign(reply.url);
      else renew(form, new DOMParser().parseFromString(await reply.text(), "text/html"));
    } catch {
      form.submit(); // the browser says what is wrong with the connection
    }
    if (button) button.disabled = false;
  });
}

/** The page as the server shows it now, with every file that was chosen still there. */
function renew(form, reply) {
  for (const old of document.querySelectorAll("#wrong, main .notice.good[role=status]")) old.remove(); // of the last time
  const fresh = reply.getElementById(form.id);
  if (fresh) refill(form, fresh);
  for (const part of reply.querySelectorAll("[data-reply]")) document.getElementById(part.id)?.replaceWith(part);
  const text = /** @type {HTMLTextAreaElement | null} */ (reply.querySelector("textarea[data-reply-value]"));
  if (text) /** @type {HTMLTextAreaElement} */ (document.getElementById(text.id)).value = text.value;
  const told = reply.querySelector("#wrong") ?? (fresh ? null : reply.querySelector("main .notice, main p"));
  if (told) form.before(told);
  const seen = /** @type {HTMLElement | null} */ (told ?? document.querySelector("[data-reply]"));
  seen?.focus();
  showAdding();
}

/** A form anew; what holds files, or was shown of them, is the old one. */
function refill(form, fresh) {
  const kept = [...form.querySelectorAll("input[type=file], [data-kept], #columns")];
  form.replaceChildren(...fresh.childNodes);
  for (const old of kept) {
    const place = form.querySelector(`#${CSS.escape(old.id)}`);
    if (!place) continue;
    for (const name of ["aria-invalid", "aria-describedby"]) {
      if (place.hasAttribute(name)) old.setAttribute(name, place.getAttribute(name));
      else old.removeAttribute(name);
    }
    place.replaceWith(old);
  }
}

/** One more row of fields, empty, under the last. */
function addRow(button) {
  const rows = button.closest("form").querySelector(`[data-rows="${button.dataset.add}"]`);
  const last = rows.lastElementChild;
  const fresh = /** @type {HTMLElement} */ (last.cloneNode(true));
  const number = rows.children.length + 1;
  for (const wrong of fresh.querySelectorAll(".problem")) wrong.remove();
  fresh.setAttribute("aria-label", (last.getAttribute("aria-label") ?? "").replace(/\d+$/, String(number)));
  for (const field of fresh.querySelectorAll("input, select")) {
    const label = fresh.querySelector(`label[for="${CSS.escape(field.id)}"]`);
    field.id = field.id.replace(/\d+$/, String(number));
    label?.setAttribute("for", field.id);
    if (field instanceof HTMLSelectElement) field.selectedIndex = 0;
    else /** @type {HTMLInputElement} */ (field).value = "";
  }
  rows.append(fresh);
  /** @type {HTMLElement} */ (fresh.querySelector("input, select")).focus();
}

/** Without a script one empty row is always there; with it there can be any number, for whoever may change them. */
function showAdding() {
  for (const button of document.querySelectorAll("button[data-add]:enabled")) button.removeAttribute("hidden");
}
