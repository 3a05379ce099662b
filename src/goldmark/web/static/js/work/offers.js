// What the page says about drafts from elsewhere. Whichever is shown, the other one is a click or an undo away.
import { clock } from "./frame.js";

/** @typedef {import("./desk.js").Desk} Desk */
/** @typedef {import("./drafts.js").Remote} Remote */

const use = (desk, words, answers) => ({ words, does: () => desk.history.change(answers) });

/** A draft was found when the text was opened. @param {Desk} desk @param {import("./drafts.js").Found} found */
export function tellRestored(desk, found) {
  if (found.other) desk.history.change(found.other);
  desk.history.change(found.answers);
  const where = found.from === "here" ? "from this browser" : "from the server";
  const other = found.other ? " Another device had saved a different one." : "";
  const deeds = [use(desk, "Start from the beginning", desk.assignment.answers ?? {})];
  if (found.other) deeds.unshift(use(desk, "Use the other draft", found.other));
  desk.tell(`Your draft of ${clock(found.at)} ${where} is back.${other}`, deeds);
}

/** While this page was used, another device saved too. @param {Desk} desk @param {Remote} draft */
export function tellOvertaken(desk, draft) {
  const saved = `Another device saved a draft at ${clock(draft.saved_at)}.`;
  const words = `${saved} What you see here was changed later and is kept.`;
  desk.tell(words, [use(desk, "Use the other draft", draft.answers)], "warn");
}

/** While this page was left, another device went on. @param {Desk} desk @param {Remote} draft */
export function tellElsewhere(desk, draft) {
  if (JSON.stringify(draft.answers) === JSON.stringify(desk.answers)) return;
  const before = desk.answers;
  desk.history.change(draft.answers);
  const words = `You went on elsewhere: the draft of ${clock(draft.saved_at)} is shown.`;
  desk.tell(words, [use(desk, "Back to what was here", before)]);
}

/** @param {Desk} desk */
export function tellEarlier(desk) {
  const change = desk.readOnly ? "" : " Change it and save, or go back.";
  desk.tell(`You are looking at an earlier answer.${change}`);
}

/** @param {Desk} desk */
export function tellLapsed(desk) {
  desk.tell("This text was given back because it lay for long. You can still submit it.", [], "warn");
}

/** One key has sent an answer: it was quickly done, so it is quickly changed. @param {Desk} desk @param {number} id */
export function tellSent(desk, id) {
  const change = () => {
    location.hash = `#earlier/${id}`;
  };
  desk.tell("The text before was sent.", [{ words: "Change its answer", does: change }]);
}
