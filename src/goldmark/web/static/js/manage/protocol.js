// Writing a protocol: a moment after a change it is checked and shown as annotators will see it; a problem leads to its line.
const PAUSE = 700;

const form = /** @type {HTMLFormElement} */ (document.getElementById("editor"));
const source = /** @type {HTMLTextAreaElement} */ (document.getElementById("source"));
const show = document.getElementById("show");
const preview = /** @type {HTMLIFrameElement} */ (form.querySelector("iframe"));
let timer = 0;
let changed = false;

const look = () => form.requestSubmit(show);

source.addEventListener("input", () => {
  changed = true;
  clearTimeout(timer);
  timer = setTimeout(look, PAUSE);
});

// Tab goes to the next field as everywhere; two spaces are what YAML wants anyway.
form.addEventListener("submit", (event) => {
  if (event.submitter !== show) changed = false;
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

look();
