// What the page says about drafts from elsewhere. Whichever is shown, the other one is a click or an undo away.
import { clock } from "./frame.js";

/** @typedef {import("./unit_page.js").UnitPage} UnitPage */
/** @typedef {import("./drafts.js").Remote} Remote */

const use = (unitPage, words, answers) => ({ words, does: () => unitPage.history.change(answers) });

/** A draft was found when the text was opened. @param {UnitPage} unitPage @param {import("./drafts.js").Found} found */
export function tellRestored(unitPage, found) {
  if (found.other) unitPage.history.change(found.other);
  unitPage.history.change(found.answers);
  const where = found.from === "here" ? "from this browser" : "from the server";
  const other = found.other ? " Another device had saved a different one." : "";
  const deeds = [use(unitPage, "Start from the beginning", unitPage.assignment.answers ?? {})];
  if (found.other) deeds.unshift(use(unitPage, "Use the other draft", found.other));
  unitPage.tell(`Your draft of ${clock(found.at)} ${where} is back.${other}`, deeds);
}

/** While this page was used, another device saved too. @param {UnitPage} unitPage @param {Remote} draft */
export function tellOvertaken(unitPage, draft) {
  const saved = `Another device saved a draft at ${clock(draft.saved_at)}.`;
  const words = `${saved} What you see here was changed later and is kept.`;
  unitPage.tell(words, [use(unitPage, "Use the other draft", draft.answers)], "warn");
}

/** While this page was left, another device went on. @param {UnitPage} unitPage @param {Remote} draft */
export function tellElsewhere(unitPage, draft) {
  if (JSON.stringify(draft.answers) === JSON.stringify(unitPage.answers)) return;
  const before = unitPage.answers;
  unitPage.history.change(draft.answers);
  const words = `You went on elsewhere: the draft of ${clock(draft.saved_at)} is shown.`;
  unitPage.tell(words, [use(unitPage, "Back to what was here", before)]);
}

/** @param {UnitPage} unitPage */
export function tellInTwoTabs(unitPage) {
  unitPage.tell("This text is open in another tab too. Go on in one of the two: what is saved last counts.", [], "warn");
}

/** @param {UnitPage} unitPage */
export function tellEarlier(unitPage) {
  const change = unitPage.readOnly ? "" : " Change it and save, or go back.";
  unitPage.tell(`You are looking at an earlier answer.${change}`);
}

/** @param {UnitPage} unitPage */
export function tellLapsed(unitPage) {
  unitPage.tell("This text was given back because it lay for long. You can still submit it.", [], "warn");
}

/** One key has sent an answer: it was quickly done, so it is quickly changed. @param {UnitPage} unitPage @param {number} id */
export function tellSent(unitPage, id) {
  const change = () => {
    location.hash = `#earlier/${id}`;
  };
  unitPage.tell("The text before was sent.", [{ words: "Change its answer", does: change }]);
}
