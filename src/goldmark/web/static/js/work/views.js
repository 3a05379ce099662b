// The pages around the work: consent, instructions, thanks, and what to say when there is nothing to do.
import { cleanedHtml, h } from "../dom.js";
import { spoken } from "./activity.js";
import { Refused, Unreachable } from "./api.js";

export const column = (...content) => h("div", { class: "column stack" }, ...content);
export const heading = (words) => h("h1", { tabindex: "-1" }, words);

/** The button that goes on; the page also presses it on Ctrl+Enter, as it does with a text. */
export const onward = (words, does) => {
  const hint = h("kbd", { "aria-hidden": "true" }, "Ctrl ⏎");
  return h("button", { type: "button", class: "primary", "data-goes-on": "", onclick: does }, words, " ", hint);
};

export function consentView(campaign, agree) {
  return column(
    heading("Before you start"),
    h("section", { class: "card" }, cleanedHtml(campaign.consent_html)),
    h("div", { class: "row onward" }, onward("I agree, go on", agree)),
    h("p", { class: "soft" }, "If you do not agree, close this page: nothing has been recorded."),
  );
}

export function instructionsView(protocol, start, goesOn) {
  return column(
    heading(protocol.title || "Instructions"),
    protocol.summary && h("p", { class: "lead" }, protocol.summary),
    cleanedHtml(protocol.instructions_html),
    h(
      "p",
      { class: "soft" },
      "You can read this again at any time: press ",
      h("kbd", {}, "i"),
      ". All keys: ",
      h("kbd", {}, "?"),
      ".",
    ),
    h("div", { class: "row onward" }, onward(goesOn ? "Go on" : "Start", start)),
  );
}

const ENDINGS = {
  batch: ["Thank you!", "This batch is finished, and every answer of yours is saved."],
  all: ["Thank you!", "There is nothing left to do here. Every answer of yours is saved."],
  paused: ["A break", "This study is paused. Your answers are saved; please come back later with the same link."],
  excluded: [
    "Thank you",
    "Your part in this study has ended. Every answer of yours is saved, and you need not do anything more.",
  ],
  preview: ["This was a preview", "An annotator's answer would be saved now, and the next text would follow."],
  closed: ["This study is closed", "Thank you for taking part. Every answer of yours is saved."],
  waiting: [
    "Nothing free just now",
    "Others are working on the last texts. One may become free again; please look again later.",
  ],
};

const PAID_THEN = "Your work is saved here. It is paid once you have handed it in where you found it.";

/** The last step of somebody who came from a crowd platform: to hand in there. @param {string} address */
export const handIn = (address, words = PAID_THEN) =>
  h(
    "section",
    { class: "card hand-in" },
    h("h2", {}, "One more step"),
    h("p", {}, words),
    h("a", { class: "button primary", href: address }, "Go on and hand in"),
  );

/**
 * @param {{why: string, code: string | null, another: boolean}} finished
 * @param {string | null} leave where somebody from a crowd platform hands in
 */
export function thanksView(finished, progress, { another, again, earlier }, leave = null) {
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
  return h(
    "div",
    { class: "column stack thanks" },
    heading(title),
    h("p", { class: "lead" }, words),
    leave && !finished.another && handIn(leave),
    finished.code &&
      !leave &&
      h(
        "section",
        { class: "card code-card" },
        h("h2", {}, "Your completion code"),
        h("div", { class: "row" }, code, h("button", { type: "button", onclick: copy }, "Copy"), copied),
        h("p", { class: "help" }, "Keep it, or enter it where you were asked for it."),
      ),
    h(
      "p",
      { class: "soft number" },
      `${progress.done} ${progress.done === 1 ? "text" : "texts"} done, ${spoken(progress.seconds_active)} of work.`,
    ),
    h(
      "div",
      { class: "row" },
      finished.another && onward(finished.why === "preview" ? "Again" : "Another batch", another),
      ["paused", "waiting"].includes(finished.why) && onward("Look again", again),
      progress.done > 0 && h("button", { type: "button", onclick: earlier }, "My earlier answers"),
    ),
  );
}

export function troubleView(title, words, again) {
  return column(
    heading(title),
    h("div", { class: "notice bad", role: "alert" }, h("p", {}, words)),
    again && onward("Try again", again),
  );
}

/** What failed: the server said no, it cannot be reached, or a mistake of ours, after which a reload usually helps. */
export function failureView(error, again) {
  if (error instanceof Refused) return troubleView("This does not work", error.message, again);
  const kept = "The server cannot be reached. Nothing is lost: your drafts are kept in this browser.";
  if (error instanceof Unreachable) return troubleView("No connection", kept, again);
  const words = "Your work is kept. Please load the page again.";
  return troubleView("Something went wrong on this page", words, () => location.reload());
}

/** Which text this is, for those who listen to the page. */
export function whereWords({ batch_done: done, batch_size: size }, { earlier, returned }) {
  if (earlier) return "An earlier answer";
  if (returned) return "A returned answer";
  return size ? `Text ${done + 1} of ${size}` : `Text ${done + 1}`;
}

/** An answer waits for the connection while no text is shown. */
export function waitingView(hurry) {
  const words = "An answer of yours is kept in this browser and will be sent as soon as the server can be reached.";
  return column(heading("No connection"), h("p", {}, words), onward("Try now", hurry));
}

/** The same beside the text that it answers. */
export function waitingNotice(seconds, hurry) {
  const again = `next try in ${Math.round(seconds)} s.`;
  const words = `The server cannot be reached. Your answer is safe in this browser and is sent by itself; ${again}`;
  return h(
    "div",
    { class: "notice warn queued", role: "status" },
    h("p", {}, h("strong", {}, "Kept here, not sent yet. "), words),
    h("button", { type: "button", onclick: hurry }, "Try now"),
  );
}
