// The dialogues: instructions, earlier answers, keys.
import { cleanedHtml, h, openDialog } from "../dom.js";
import { shortened } from "../spans/cards.js";

export const instructionsDialog = (protocol) =>
  openDialog(protocol.title || "Instructions", cleanedHtml(protocol.instructions_html));

/** Ask before the training begins again. @param {() => void} begin */
export function trainingDialog(begin) {
  const start = () => {
    dialog.close();
    begin();
  };
  const words = "Go through the training once more? Your texts wait for you, and you can come back to them at any time.";
  const dialog = openDialog(
    "Training",
    h("p", {}, words),
    h("button", { type: "button", class: "primary", onclick: start }, "Begin the training"),
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
    "These words are not marked",
    h("p", {}, "You chose these words and gave them no label: ", h("q", { dir: "auto" }, shortened(words, 90))),
    h(
      "div",
      { class: "row" },
      h("button", { type: "button", class: "primary", autofocus: true, onclick: end(() => widget.text.takeFocus()) }, "Back to the text"),
      h("button", { type: "button", onclick: end(forget) }, "Go on without marking them"),
    ),
  );
}

const TOLD = { warning: "A word about your work", pause: "A break", exclusion: "Thank you" };

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
      h("button", { type: "button", class: "primary", autofocus: true, onclick: seen }, "I have read this"),
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
  const nothing = `Nothing yet. Finished texts appear here${editing ? ", and you can change your answers." : "."}`;
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
  const dialog = openDialog("My earlier answers", finished.length ? list : h("p", {}, nothing));
  return dialog;
}

function earlierButton({ preview, revision, finished_at: at }, onclick) {
  const facts = [at && new Date(at).toLocaleString(), revision > 1 && `changed ${revision - 1}×`].filter(Boolean);
  return h(
    "button",
    { type: "button", class: "earlier-one", onclick },
    h("span", { dir: "auto" }, shortened(preview || "Text", 90)),
    h("span", { class: "soft small" }, facts.join(" · ")),
  );
}

export const KEYS = [
  [
    "In the text",
    [
      [["←", "→"], "to the word before, after"],
      [["Ctrl ←", "Ctrl →"], "to the sentence before, after"],
      [["↑", "↓"], "one line up, down"],
      [["Home", "End"], "start, end of the sentence"],
      [["Shift + any of these"], "choose several words"],
      [["Space"], "choose this word; again: let go"],
      [["a label’s key"], "mark the words, or change the mark’s label"],
      [["Enter"], "describe this mark; accept a suggestion"],
      [["+"], "link other words to this mark"],
      [["]", "["], "mark one word more, less at its end"],
      [["{", "}"], "start one word earlier, later"],
      [["Delete"], "remove this mark; dismiss a suggestion"],
      [["Alt ↓", "Alt ↑"], "to the mark after, before"],
      [["Esc"], "let go; back to the text"],
    ],
  ],
  [
    "Everywhere",
    [
      [["Ctrl Enter"], "go on: next part, or submit"],
      [["1", "2", "3 …"], "choose an option of the question at hand"],
      [["Ctrl Z", "Ctrl Shift Z"], "undo, redo"],
      [["i", "F1"], "instructions"],
      [["e"], "earlier answers"],
      [["?"], "this list"],
      [["Tab"], "to the next field or button"],
    ],
  ],
];

export function keysDialog() {
  const row = ([keys, does]) => {
    const names = keys.map((key) => h("kbd", {}, key));
    return h("div", {}, h("dt", {}, names), h("dd", {}, does));
  };
  const lists = KEYS.flatMap(([title, rows]) => [h("h3", {}, title), h("dl", { class: "keys" }, rows.map(row))]);
  const note = "While the text has the focus, a letter that is a label’s key marks; everything else keeps its meaning.";
  return openDialog("All keys", lists, h("p", { class: "help" }, note));
}
