// The pages around the work: consent, instructions, thanks, and what to say when there is nothing to do.
import { cleanedHtml, h } from "../dom.js";
import { _, ngettext } from "../language.js";
import { spoken } from "./activity.js";
import { Refused, Unreachable } from "./api.js";

export const column = (...content) => h("div", { class: "column stack" }, ...content);
export const heading = (words) => h("h1", { tabindex: "-1" }, h("bdi", {}, words));

/** The button that goes on; the page also presses it on Ctrl+Enter, as it does with a text. */
export const onward = (words, does) => {
  const hint = h("kbd", { "aria-hidden": "true" }, "Ctrl ⏎");
  return h("button", { type: "button", class: "primary", "data-goes-on": "", onclick: does }, words, " ", hint);
};

export function consentView(campaign, agree) {
  return column(
    heading(_("Before you start")),
    h("section", { class: "card" }, cleanedHtml(campaign.consent_html)),
    h("div", { class: "row onward" }, onward(_("I agree, go on"), agree)),
    h("p", { class: "soft" }, _("If you do not agree, close this page: nothing has been recorded.")),
  );
}

export function instructionsView(protocol, start, goesOn) {
  return column(
    heading(protocol.title || _("Instructions")),
    protocol.summary && h("p", { class: "lead", dir: "auto" }, protocol.summary),
    cleanedHtml(protocol.instructions_html),
    h(
      "p",
      { class: "soft" },
      _("You can read this again at any time."),
      " ",
      h("kbd", {}, "i"),
      ` ${_("Instructions")} · `,
      h("kbd", {}, "?"),
      ` ${_("All keys")}`,
    ),
    h("div", { class: "row onward" }, onward(goesOn ? _("Go on") : _("Start"), start)),
  );
}

const ENDINGS = {
  batch: [_("Thank you!"), _("This batch is finished, and every answer of yours is saved.")],
  all: [_("Thank you!"), _("There is nothing left to do here. Every answer of yours is saved.")],
  paused: [_("A break"), _("This study is paused. Your answers are saved; please come back later with the same link.")],
  excluded: [
    _("Thank you"),
    _("Your part in this study has ended. Every answer of yours is saved, and you need not do anything more."),
  ],
  preview: [_("This was a preview"), _("An annotator's answer would be saved now, and the next text would follow.")],
  closed: [_("This study is closed"), _("Thank you for taking part. Every answer of yours is saved.")],
  waiting: [
    _("Nothing free just now"),
    _("Others are working on the last texts. One may become free again; please look again later."),
  ],
};

const PAID_THEN = _("Your work is saved here. It is paid once you have handed it in where you found it.");

/** The last step of somebody who came from a crowd platform: to hand in there. @param {string} address */
export const handIn = (address, words = PAID_THEN) =>
  h(
    "section",
    { class: "card hand-in" },
    h("h2", {}, _("One more step")),
    h("p", {}, words),
    h("a", { class: "button primary", href: address }, _("Go on and hand in")),
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
      copied.textContent = _("Copied");
    } catch {
      getSelection().selectAllChildren(code);
      copied.textContent = _("Selected: now copy it");
    }
  };
  const code = h("output", { class: "code", "aria-label": _("Completion code") }, finished.code ?? "");
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
        h("h2", {}, _("Your completion code")),
        h("div", { class: "row" }, code, h("button", { type: "button", onclick: copy }, _("Copy")), copied),
        h("p", { class: "help" }, _("Keep it, or enter it where you were asked for it.")),
      ),
    progress.done > 0 &&
    h(
      "p",
      { class: "soft number" },
      ngettext("{count} text done, {time} of work.", "{count} texts done, {time} of work.", progress.done, {
        time: spoken(progress.seconds_active),
      }),
    ),
    h(
      "div",
      { class: "row" },
      finished.another && onward(finished.why === "preview" ? _("Again") : _("Another batch"), another),
      ["paused", "waiting"].includes(finished.why) && onward(_("Look again"), again),
      progress.done > 0 && h("button", { type: "button", onclick: earlier }, _("My earlier answers")),
    ),
  );
}

export function troubleView(title, words, again) {
  return column(
    heading(title),
    h("div", { class: "notice bad", role: "alert" }, h("p", {}, words)),
    again && onward(_("Try again"), again),
  );
}

/** What failed: the server said no, it cannot be reached, or a mistake of ours, after which a reload usually helps. */
export function failureView(error, again) {
  if (error instanceof Refused) return troubleView(_("This does not work"), error.message, again);
  const kept = _("The server cannot be reached. Nothing is lost: your drafts are kept in this browser.");
  if (error instanceof Unreachable) return troubleView(_("No connection"), kept, again);
  const words = _("Your work is kept. Please load the page again.");
  return troubleView(_("Something went wrong on this page"), words, () => location.reload());
}

/** Which text this is, for those who listen to the page. */
export function whereWords({ batch_done: done, batch_size: size }, { earlier, returned }) {
  if (earlier) return _("An earlier answer");
  if (returned) return _("A returned answer");
  return size ? _("Text {at} of {all}", { at: done + 1, all: size }) : _("Text {name}", { name: done + 1 });
}

/** An answer waits for the connection while no text is shown. */
export function waitingView(hurry) {
  const words = _("An answer of yours is kept in this browser and will be sent as soon as the server can be reached.");
  return column(heading(_("No connection")), h("p", {}, words), onward(_("Try now"), hurry));
}

/** The same beside the text that it answers. */
export function waitingNotice(seconds, hurry) {
  const words = _(
    "The server cannot be reached. Your answer is safe in this browser and is sent by itself; next try in {count} s.",
    { count: Math.round(seconds) },
  );
  return h(
    "div",
    { class: "notice warn queued", role: "status" },
    h("p", {}, h("strong", {}, _("Kept here, not sent yet")), ". ", words),
    h("button", { type: "button", onclick: hurry }, _("Try now")),
  );
}
