// Writing a protocol: a moment after a change it is checked and shown as annotators will see it; a problem leads to its line.
// Fields and YAML follow each other: a changed field is written into the text, a changed text is read into the fields.
const PAUSE = 700;

const form = /** @type {HTMLFormElement} */ (document.getElementById("editor"));
const source = /** @type {HTMLTextAreaElement} */ (document.getElementById("source"));
const fields = document.getElementById("fields");
const show = document.getElementById("show");
const preview = /** @type {HTMLIFrameElement} */ (form.querySelector("iframe"));
let timer = 0;
let changed = false;
let last = Promise.resolve();
let waiting = 0; // edits that the server has not answered yet

const look = () => form.requestSubmit(show);

/** One edit after the other, each on the text that the one before it left. @param {string} action @param {boolean} refill */
function edit(action, refill) {
  waiting += 1;
  last = last.then(() => make(action, refill)).finally(() => (waiting -= 1));
}

/** Ask the server for the text and the fields after an edit. @param {string} action @param {boolean} refill */
async function make(action, refill) {
  const before = source.value;
  const body = new FormData(form);
  body.set("action", action);
  const reply = await fetch("/protocols/new", { method: "POST", body }).catch(() => null);
  if (!reply) return; // no connection: the fields keep what was written, and the next edit sends all of them
  if (source.value !== before) {
    if (action !== "read") await make(action, refill); // somebody wrote meanwhile: once more, on what stands there now
    return;
  }
  const page = new DOMParser().parseFromString(await reply.text(), "text/html");
  for (const old of document.querySelectorAll("#wrong")) old.remove();
  const wrong = page.querySelector("#wrong");
  if (wrong) form.before(wrong);
  const text = /** @type {HTMLTextAreaElement | null} */ (page.getElementById("source"));
  if (text && action !== "read" && text.value !== source.value) {
    source.value = text.value;
    changed = true;
    look();
  }
  if (refill && !wrong) fill(page.getElementById("fields"));
}

/** New fields, with the same parts open and the same field in focus. @param {HTMLElement | null} fresh */
function fill(fresh) {
  if (!fresh || !fields) return;
  const open = new Map([...fields.querySelectorAll("details")].map((one) => [one.dataset.part, one.open]));
  const focused = fields.contains(document.activeElement) ? document.activeElement?.id : "";
  fields.replaceChildren(...fresh.childNodes);
  for (const part of fields.querySelectorAll("details")) part.open = open.get(part.dataset.part) ?? part.open;
  quiet();
  if (focused) document.getElementById(focused)?.focus();
}

/** With a script, fields need no button of their own. */
function quiet() {
  for (const one of form.querySelectorAll(".no-script")) one.hidden = true;
}

source.addEventListener("input", () => {
  changed = true;
  clearTimeout(timer);
  timer = setTimeout(() => {
    look();
    edit("read", true);
  }, PAUSE);
});

// What is being added goes into the text when its button is pressed, everything else at once.
const ADDED = /^(item\.|marks\.|chosen\.|label_|tree$)/;
fields?.addEventListener("change", (event) => {
  const name = /** @type {HTMLInputElement} */ (event.target).name;
  if (name && !ADDED.test(name)) edit("fields", name.includes(".option."));
});

form.addEventListener("submit", (event) => {
  const button = /** @type {HTMLButtonElement | null} */ (event.submitter);
  if (button?.value === "label" || button?.value === "item") {
    event.preventDefault();
    edit(button.value, true);
  } else if (button !== show && waiting) {
    event.preventDefault(); // what was just written into a field is saved, too
    last.then(() => form.requestSubmit(button));
  } else if (button !== show) changed = false;
});
form.addEventListener("keydown", (event) => {
  const field = /** @type {HTMLInputElement} */ (event.target);
  if (event.key !== "Enter" || field.tagName !== "INPUT") return;
  event.preventDefault(); // Enter in a field must not save the protocol
  if (field.name.startsWith("label_")) edit("label", true);
  else field.blur();
});
addEventListener("beforeunload", (event) => changed && event.preventDefault());

preview.addEventListener("load", () => {
  for (const link of preview.contentDocument?.querySelectorAll("[data-line]") ?? [])
    link.addEventListener("click", (event) => {
      event.preventDefault();
      goTo(Number(link.dataset.line));
    });
});

/** Select a line and bring it into view. @param {number} line counted from 1 */
function goTo(line) {
  const lines = source.value.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  source.focus();
  source.setSelectionRange(start, start + (lines[line - 1] ?? "").length);
  source.scrollTop = (source.scrollHeight / lines.length) * Math.max(line - 4, 0);
}

quiet();
look();
