// The pages around the work: consent, instructions, thanks, and what to say when there is nothing to do.
import { cleanedHtml, h, openDialog } from "../dom.js";
import { shortened } from "../spans/cards.js";
import { spoken } from "./activity.js";

const column = (...content) => h("div", { class: "column stack" }, ...content);
const heading = (words) => h("h1", { tabindex: "-1" }, words);

export function consentView(campaign, agree) {
  return column(heading("Before you start"), h("section", { class: "card" }, cleanedHtml(campaign.consent_html)),
    h("div", { class: "row" }, h("button", { type: "button", class: "primary", onclick: agree }, "I agree, go on")),
    h("p", { class: "soft" }, "If you do not agree, close this page: nothing has been recorded."));
}

export function instructionsView(protocol, start, goesOn) {
  return column(heading(protocol.title || "Instructions"), protocol.summary && h("p", { class: "lead" }, protocol.summary),
    cleanedHtml(protocol.instructions_html),
    h("p", { class: "soft" }, "You can read this again at any time: press ", h("kbd", {}, "i"), ". All keys: ", h("kbd", {}, "?"), "."),
    h("div", { class: "row" }, h("button", { type: "button", class: "primary", onclick: start }, goesOn ? "Go on" : "Start")));
}

export const instructionsDialog = (protocol) => openDialog(protocol.title || "Instructions", cleanedHtml(protocol.instructions_html));

const ENDINGS = {
  batch: ["Thank you!", "This batch is finished, and every answer of yours is saved."],
  all: ["Thank you!", "There is nothing left to do here. Every answer of yours is saved."],
  paused: ["A break", "This study is paused. Your answers are saved; please come back later with the same link."],
  closed: ["This study is closed", "Thank you for taking part. Every answer of yours is saved."],
  waiting: ["Nothing free just now", "Others are working on the last texts. One may become free again; please look again later."],
};

/** @param {{why: string, code: string | null, another: boolean}} finished */
export function thanksView(finished, progress, { another, again, earlier }) {
  const [title, words] = ENDINGS[finished.why] ?? ENDINGS.all;
  const copied = h("span", { role: "status", class: "soft" });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(finished.code);
      copied.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(code);
      copied.textContent = "Selected: now copy it";
    }
  };
  const code = h("output", { class: "code", "aria-label": "Completion code" }, finished.code ?? "");
  return h("div", { class: "column stack thanks" }, heading(title), h("p", { class: "lead" }, words),
    finished.code && h("section", { class: "card code-card" }, h("h2", {}, "Your completion code"),
      h("div", { class: "row" }, code, h("button", { type: "button", onclick: copy }, "Copy"), copied),
      h("p", { class: "help" }, "Keep it, or enter it where you were asked for it.")),
    h("p", { class: "soft number" }, `${progress.done} ${progress.done === 1 ? "text" : "texts"} done, ${spoken(progress.seconds_active)} of work.`),
    h("div", { class: "row" },
      finished.another && h("button", { type: "button", class: "primary", onclick: another }, "Another batch"),
      ["paused", "waiting"].includes(finished.why) && h("button", { type: "button", class: "primary", onclick: again }, "Look again"),
      progress.done > 0 && h("button", { type: "button", onclick: earlier }, "My earlier answers")));
}

export function troubleView(title, words, again) {
  return column(heading(title), h("div", { class: "notice bad", role: "alert" }, h("p", {}, words)), again && h("button", { type: "button", class: "primary", onclick: again }, "Try again"));
}

/** The annotator's own finished work, newest first. */
export function earlierDialog(assignments, editing, open) {
  const finished = assignments.filter((one) => one.revision > 0);
  const dialog = openDialog("My earlier answers", finished.length
    ? h("ol", { class: "earlier" }, finished.map((one) => h("li", {}, h("button", { type: "button", class: "earlier-one", onclick: () => { dialog.close(); open(one.id); } },
        h("span", { dir: "auto" }, shortened(one.preview || "Text", 90)),
        h("span", { class: "soft small" }, [one.finished_at && new Date(one.finished_at).toLocaleString(), one.revision > 1 && `changed ${one.revision - 1}×`].filter(Boolean).join(" · "))))))
    : h("p", {}, "Nothing yet. Finished texts appear here", editing ? ", and you can change your answers." : "."));
  return dialog;
}

export const KEYS = [
  ["In the text", [
    [["←", "→"], "to the word before, after"], [["Ctrl ←", "Ctrl →"], "to the sentence before, after"], [["↑", "↓"], "one line up, down"],
    [["Home", "End"], "start, end of the sentence"], [["Shift + any of these"], "choose several words"], [["Space"], "choose this word; again: let go"],
    [["a label’s key"], "mark the words, or change the mark’s label"], [["Enter"], "describe this mark"], [["+"], "link other words to this mark"],
    [["]", "["], "mark one word more, less at its end"], [["{", "}"], "start one word earlier, later"], [["Delete"], "remove this mark"],
    [["Alt ↓", "Alt ↑"], "to the mark after, before"], [["Esc"], "let go; back to the text"]]],
  ["Everywhere", [
    [["Ctrl Enter"], "go on: next part, or submit"], [["1", "2", "3 …"], "choose an option of the question at hand"], [["Ctrl Z", "Ctrl Shift Z"], "undo, redo"],
    [["i", "F1"], "instructions"], [["e"], "earlier answers"], [["?"], "this list"], [["Tab"], "to the next field or button"]]],
];

export function keysDialog() {
  return openDialog("All keys", ...KEYS.flatMap(([title, rows]) => [h("h3", {}, title), h("dl", { class: "keys" }, rows.map(([keys, does]) =>
    h("div", {}, h("dt", {}, keys.map((key) => h("kbd", {}, key))), h("dd", {}, does))))]),
    h("p", { class: "help" }, "While the text has the focus, a letter that is a label’s key marks; everything else keeps its meaning."));
}
