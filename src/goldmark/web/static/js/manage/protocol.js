// Writing a protocol: a moment after a change it is checked and shown as annotators will see it; a problem leads to its line.
// Fields and YAML follow each other: a changed field is written into the text, a changed text is read into the fields.
// Only fields that somebody changed are sent, so that none takes back what was written in the YAML meanwhile.
import { History } from "./protocol_history.js";

const PAUSE = 700;
const ADDED = "new."; // what is being added goes into the text when its button is pressed, everything else at once
const ADDS = ["label", "item", "language"]; // the buttons that do it

const form = /** @type {HTMLFormElement} */ (document.getElementById("editor"));
const source = /** @type {HTMLTextAreaElement} */ (document.getElementById("source"));
const fields = /** @type {HTMLElement} */ (document.getElementById("fields"));
const show = document.getElementById("show");
const preview = /** @type {HTMLIFrameElement} */ (form.querySelector("iframe"));
let timer = 0;
let changed = false;
let last = Promise.resolve();
let waiting = 0; // edits that the server has not answered yet

const look = () => form.requestSubmit(show);
const past = new History(source.value, (text) => {
  source.value = text;
  changed = true;
  look();
  edit("read", true);
});

/** The value of a field as it would be sent. @param {any} field */
const valueOf = (field) =>
  field.multiple ? [...field.selectedOptions].map((one) => one.value).join("\n") : field.value;

/** All fields that have a name. @returns {any[]} */
const named = () => [...fields.querySelectorAll("input[name], select[name], textarea[name]")];

/** As the server drew it. @param {any} field */
const drawn = (field) => {
  if (field.dataset.sent !== undefined) return field.dataset.sent;
  if (field.tagName !== "SELECT") return field.defaultValue;
  const chosen = [...field.options].filter((one) => one.defaultSelected).map((one) => one.value);
  return field.multiple ? chosen.join("\n") : (chosen[0] ?? field.options[0]?.value ?? "");
};

/** One edit after the other, each on the text that the one before it left. @param {string} action @param {boolean} refill */
function edit(action, refill) {
  waiting += 1;
  last = last.then(() => make(action, refill)).finally(() => (waiting -= 1));
}

/** What goes to the server: the text, what was changed, and what is being added. @param {string} action */
function sent(action) {
  const body = new FormData();
  for (const one of form.querySelectorAll("input[type=hidden]")) body.append(one.name, one.value);
  body.set("source", source.value);
  body.set("action", action);
  body.set("keeps", "typed"); // what is refused stays in its field, with the reason beside it
  const mine = named().filter((one) =>
    one.name.startsWith(ADDED) ? ADDS.includes(action) : action === "fields" && valueOf(one) !== drawn(one),
  );
  for (const one of mine)
    for (const value of one.multiple ? valueOf(one).split("\n") : [one.value]) body.append(one.name, value);
  return { body, mine: mine.map((one) => [one, valueOf(one)]) };
}

/** Ask the server for the text and the fields after an edit. @param {string} action @param {boolean} refill */
async function make(action, refill) {
  const before = source.value;
  const { body, mine } = sent(action);
  const held = focusedField();
  fields.inert = refill && action !== "read"; // nothing is typed into what is about to be drawn anew
  const reply = await fetch("/protocols/new", { method: "POST", body })
    .then((told) => told.text())
    .catch(() => null);
  fields.inert = false; // from here on nothing is waited for
  if (document.activeElement === document.body) held?.focus(); // what is inert loses the focus
  if (reply === null) return; // no connection: the fields keep what was written, and the next edit sends all of them
  if (source.value !== before) {
    if (action !== "read") await make(action, refill); // somebody wrote meanwhile: once more, on what stands there now
    return;
  }
  const page = new DOMParser().parseFromString(reply, "text/html");
  for (const old of document.querySelectorAll("#wrong")) old.remove();
  const wrong = page.querySelector("#wrong");
  const everywhere = point(page.querySelector("#beside"), action !== "read");
  if (wrong && !everywhere) form.before(wrong);
  const text = /** @type {HTMLTextAreaElement | null} */ (page.getElementById("source"));
  if (text && action !== "read" && text.value !== source.value) {
    source.value = text.value;
    changed = true;
    past.add(text.value);
    look();
  }
  if (wrong) return;
  for (const [field, value] of mine) field.dataset.sent = value;
  if (refill) fill(page.getElementById("fields"), ADDS.includes(action));
}

/** New fields: the same parts open, the same field in focus, and what was typed and not sent yet. */
function fill(/** @type {HTMLElement | null} */ fresh, /** @type {boolean} */ added) {
  const broken = !fresh?.querySelector("details"); // the YAML has a problem: the fields wait as they are
  fields.classList.toggle("waits", broken);
  for (const one of fields.querySelectorAll("input, textarea")) one.readOnly = broken; // to be read with what is wrong
  for (const one of fields.querySelectorAll("select, button:not(.to-line)")) one.disabled = broken;
  if (!fresh || broken) return;
  const open = new Map([...fields.querySelectorAll("details")].map((one) => [one.dataset.part, one.open]));
  const typed = named().filter((one) => valueOf(one) !== drawn(one) && !(added && one.name.startsWith(ADDED)));
  const kept = new Map(typed.map((one) => [one.id, one.value]));
  const held = focusedField();
  fields.replaceChildren(...fresh.childNodes);
  for (const part of fields.querySelectorAll("details")) part.open = open.get(part.dataset.part) ?? part.open;
  for (const one of named()) if (one.id && kept.has(one.id)) one.value = kept.get(one.id);
  quiet();
  if (held) drawnAnew(held)?.focus();
}

/** The field or button that has the focus. @returns {any} */
const focusedField = () => (fields.contains(document.activeElement) ? document.activeElement : null);

/** The same field or button among the new ones; where it is gone, the part that it stood in. @param {any} held */
function drawnAnew(held) {
  if (held.id) return document.getElementById(held.id);
  const same = [...fields.querySelectorAll("button")].find((one) => held.value && one.value === held.value);
  if (same) return same;
  const parts = new Map([...fields.querySelectorAll("details")].map((one) => [one.dataset.part, one]));
  let part = held.closest("details"); // of the old ones, which stand in each other as before
  while (part && !parts.has(part.dataset.part)) part = part.parentElement?.closest("details");
  return part && parts.get(part.dataset.part)?.querySelector("summary");
}

/** What is wrong in the words of the page: a key of the YAML by the label of its field. @param {any} field */
function asLabelled(/** @type {string} */ words, field) {
  const label = field.getAttribute("aria-label") ?? field.labels?.[0]?.firstChild?.textContent ?? "";
  return label.trim() ? words.replace(/^"\w+"/, label.trim()) : words;
}

/**
 * Put what is wrong beside the fields that it belongs to; what was there before goes. Whether all of it found a field.
 * @param {HTMLTemplateElement | null} found @param {boolean} refused the text is as it was, so that no line is wrong
 */
function point(found, refused) {
  for (const old of fields.querySelectorAll(".problem")) {
    const field = /** @type {HTMLElement} */ (document.getElementById(old.dataset.of ?? ""));
    field?.removeAttribute("aria-invalid");
    if (field?.dataset.described) field.setAttribute("aria-describedby", field.dataset.described);
    else field?.removeAttribute("aria-describedby");
    old.remove();
  }
  const problems = [.../** @type {NodeListOf<HTMLElement>} */ (found?.content.querySelectorAll("li") ?? [])];
  const placed = problems.filter((one, at) => {
    const field = named().find((some) => some.name === one.dataset.field);
    if (!field) return false;
    field.id ||= `field-${at}`;
    const told = document.createElement("span");
    told.className = "problem";
    told.id = `problem-${at}`;
    told.dataset.of = field.id;
    told.textContent = one.textContent = asLabelled(one.textContent ?? "", field);
    if (!refused) told.append(" ", toLine(Number(one.dataset.line)));
    field.dataset.described ??= field.getAttribute("aria-describedby") ?? "";
    field.setAttribute("aria-describedby", `${field.getAttribute("aria-describedby") ?? ""} ${told.id}`.trim());
    field.setAttribute("aria-invalid", "true");
    (field.closest(".option") ?? field).after(told);
    for (let up = told.closest("details"); up; up = up.parentElement?.closest("details") ?? null) up.open = true;
    return true;
  });
  if (placed.length && refused) past.tell(`Not written: ${placed.map((one) => one.textContent).join("; ")}`);
  return problems.length > 0 && placed.length === problems.length;
}

/** A button that leads to a line of the text. @param {number} line */
function toLine(line) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet small-act to-line";
  button.textContent = `Line ${line}`;
  button.addEventListener("click", () => goTo(line));
  return button;
}

/** With a script, fields need no button of their own. */
function quiet() {
  for (const one of form.querySelectorAll(".no-script")) one.hidden = true;
  for (const one of form.querySelectorAll(".with-script")) one.hidden = false;
}

source.addEventListener("input", () => {
  changed = true;
  clearTimeout(timer);
  timer = setTimeout(() => {
    past.add(source.value);
    look();
    edit("read", true);
  }, PAUSE);
});

fields.addEventListener("change", (event) => {
  const field = /** @type {HTMLInputElement} */ (event.target);
  if (field.name && !field.name.startsWith(ADDED)) edit("fields", "moves" in field.dataset);
});

form.addEventListener("submit", (event) => {
  const button = /** @type {HTMLButtonElement | null} */ (event.submitter);
  const action = button?.value ?? "";
  if (ADDS.includes(action) || action.includes(":")) {
    event.preventDefault();
    if (action.startsWith("remove:")) past.tell(`${button?.getAttribute("aria-label")}: done. Undo brings it back.`);
    edit(action, true);
  } else if (button !== show && waiting) {
    event.preventDefault(); // what was just written into a field is saved, too
    last.then(() => form.requestSubmit(button));
  } else if (button !== show) changed = false;
});
form.addEventListener("keydown", (event) => {
  const field = /** @type {HTMLInputElement} */ (event.target);
  if (event.key !== "Enter" || field.tagName !== "INPUT") return;
  event.preventDefault(); // Enter in a field must not save the protocol
  if (field.name.startsWith("new.label.")) edit("label", true);
  else if (field.name === "new.language") edit("language", true);
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
