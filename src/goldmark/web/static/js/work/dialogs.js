// The dialogues: instructions, earlier answers, keys.
import { cleanedHtml, h, openDialog } from "../dom.js";
import { _, LOCALE, ngettext } from "../language.js";
import { shortened } from "../spans/cards.js";

export const instructionsDialog = (protocol) =>
  openDialog(protocol.title || _("Instructions"), cleanedHtml(protocol.instructions_html));

/** Ask before the training begins again. @param {() => void} begin */
export function trainingDialog(begin) {
  const start = () => {
    dialog.close();
    begin();
  };
  const words = _("Go through the training once more? Your texts wait for you, and you can come back to them at any time.");
  const dialog = openDialog(
    _("Training"),
    h("p", {}, words),
    h("button", { type: "button", class: "primary", onclick: start }, _("Begin the training")),
  );
}

/**
 * Words are chosen and have no label: were they to be marked?
 * @param {{widget: any, words: string}} loose @param {() => void} goOn
 */
export function looseDialog({ widget, words }, goOn) {
  const end = (then) => () => {
    dialog.close();
    then();
  };
  const forget = () => {
    widget.done();
    goOn();
  };
  const dialog = openDialog(
    _("These words are not marked"),
    h("p", {}, _("You chose these words and gave them no label:"), " ", h("q", { dir: "auto" }, shortened(words, 90))),
    h(
      "div",
      { class: "row" },
      h("button", { type: "button", class: "primary", autofocus: true, onclick: end(() => widget.text.takeFocus()) }, _("Back to the text")),
      h("button", { type: "button", onclick: end(forget) }, _("Go on without marking them")),
    ),
  );
}

const TOLD = { warning: _("A word about your work"), pause: _("A break"), exclusion: _("Thank you") };

/**
 * What an annotator is told about their work, one after the other; what they leave unread comes with the next visit.
 * @param {Array<{id: number, kind: string, message: string}>} notices they are taken out of this list
 * @param {(id: number) => Promise<unknown>} read
 */
export function tellNotices(notices, read) {
  const notice = notices?.shift();
  if (!notice) return;
  queueMicrotask(() => {
    const seen = () => dialog.close();
    const dialog = openDialog(
      TOLD[notice.kind] ?? TOLD.warning,
      h("p", { dir: "auto" }, notice.message),
      h("button", { type: "button", class: "primary", autofocus: true, onclick: seen }, _("I have read this")),
    );
    dialog.addEventListener("close", () => {
      read(notice.id).catch(() => {});
      tellNotices(notices, read);
    });
  });
}

/**
 * The annotator's own finished work, newest first.
 * @param {Array<{id: number, revision: number, finished_at: string | null, preview: string}>} assignments
 * @param {boolean} editing may answers be changed?
 * @param {(id: number) => void} open
 */
export function earlierDialog(assignments, editing, open) {
  const finished = assignments.filter((one) => one.revision > 0);
  const nothing = editing
    ? _("Nothing yet. Finished texts appear here, and you can change your answers.")
    : _("Nothing yet. Finished texts appear here.");
  const choose = (id) => {
    dialog.close();
    open(id);
  };
  const list = h(
    "ol",
    { class: "earlier" },
    finished.map((one) =>
      h(
        "li",
        {},
        earlierButton(one, () => choose(one.id)),
      ),
    ),
  );
  const dialog = openDialog(_("My earlier answers"), finished.length ? list : h("p", {}, nothing));
  return dialog;
}

function earlierButton({ preview, revision, finished_at: at }, onclick) {
  const facts = [at && new Date(at).toLocaleString(LOCALE), revision > 1 && ngettext("changed once", "changed {count} times", revision - 1)].filter(Boolean);
  return h(
    "button",
    { type: "button", class: "earlier-one", onclick },
    h("span", { dir: "auto" }, shortened(preview || _("Text"), 90)),
    h("span", { class: "soft small" }, facts.join(" · ")),
  );
}

export const KEYS = [
  [
    _("In the text"),
    [
      [["←", "→"], _("to the word before, after")],
      [["Ctrl ←", "Ctrl →"], _("to the sentence before, after")],
      [["↑", "↓"], _("one line up, down")],
      [[_("Home"), _("End")], _("start, end of the sentence")],
      [[_("Shift + any of these")], _("choose several words")],
      [[_("Space")], _("choose this word; again: let go")],
      [[_("a label’s key")], _("mark the words, or change the mark’s label")],
      [["Enter"], _("describe this mark; accept a suggestion")],
      [["+"], _("link other words to this mark")],
      [["]", "["], _("mark one word more, less at its end")],
      [["{", "}"], _("start one word earlier, later")],
      [[_("Delete")], _("remove this mark; dismiss a suggestion")],
      [["Alt ↓", "Alt ↑"], _("to the mark after, before")],
      [["Esc"], _("let go; back to the text")],
    ],
  ],
  [
    _("Everywhere"),
    [
      [["Ctrl Enter"], _("go on: next part, or submit")],
      [["1", "2", "3 …"], _("choose an option of the question at hand")],
      [["Ctrl Z", "Ctrl Shift Z"], _("undo, redo")],
      [["i", "F1"], _("instructions")],
      [["e"], _("earlier answers")],
      [["?"], _("this list")],
      [["Tab"], _("to the next field or button")],
    ],
  ],
];

export function keysDialog() {
  const row = ([keys, does]) => {
    const names = keys.map((key) => h("kbd", {}, key));
    return h("div", {}, h("dt", {}, names), h("dd", {}, does));
  };
  const lists = KEYS.flatMap(([title, rows]) => [h("h3", {}, title), h("dl", { class: "keys" }, rows.map(row))]);
  const note = _("While the text has the focus, a letter that is a label’s key marks; everything else keeps its meaning.");
  return openDialog(_("All keys"), lists, h("p", { class: "help" }, note));
}
