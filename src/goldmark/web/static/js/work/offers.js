// What the page says about drafts from elsewhere. Whichever is shown, the other one is a click or an undo away.
import { _ } from "../language.js";
import { clock } from "./frame.js";

/** @typedef {import("./unit_page.js").UnitPage} UnitPage */
/** @typedef {import("./drafts.js").Remote} Remote */

const use = (unitPage, words, answers) => ({ words, does: () => unitPage.history.change(answers) });

/** A draft was found when the text was opened. @param {UnitPage} unitPage @param {import("./drafts.js").Found} found */
export function tellRestored(unitPage, found) {
  if (found.other) unitPage.history.change(found.other);
  unitPage.history.change(found.answers);
  const time = clock(found.at);
  const back =
    found.from === "here"
      ? _("Your draft of {time} from this browser is back.", { time })
      : _("Your draft of {time} from the server is back.", { time });
  const other = found.other ? ` ${_("Another device had saved a different one.")}` : "";
  const deeds = [use(unitPage, _("Start from the beginning"), unitPage.assignment.answers ?? {})];
  if (found.other) deeds.unshift(use(unitPage, _("Use the other draft"), found.other));
  unitPage.tell(back + other, deeds);
}

/** While this page was used, another device saved too. @param {UnitPage} unitPage @param {Remote} draft */
export function tellOvertaken(unitPage, draft) {
  const time = clock(draft.saved_at);
  const words = _("Another device saved a draft at {time}. What you see here was changed later and is kept.", { time });
  unitPage.tell(words, [use(unitPage, _("Use the other draft"), draft.answers)], "warn");
}

/** While this page was left, another device went on. @param {UnitPage} unitPage @param {Remote} draft */
export function tellElsewhere(unitPage, draft) {
  if (JSON.stringify(draft.answers) === JSON.stringify(unitPage.answers)) return;
  const before = unitPage.answers;
  unitPage.history.change(draft.answers);
  const words = _("You went on elsewhere: the draft of {time} is shown.", { time: clock(draft.saved_at) });
  unitPage.tell(words, [use(unitPage, _("Back to what was here"), before)]);
}

/** @param {UnitPage} unitPage */
export function tellInTwoTabs(unitPage) {
  unitPage.tell(_("This text is open in another tab too. Go on in one of the two: what is saved last counts."), [], "warn");
}

/** @param {UnitPage} unitPage */
export function tellEarlier(unitPage) {
  const change = unitPage.readOnly ? "" : ` ${_("Change it and save, or go back.")}`;
  unitPage.tell(_("You are looking at an earlier answer.") + change);
}

/** @param {UnitPage} unitPage */
export function tellLapsed(unitPage) {
  unitPage.tell(_("This text was given back because it lay for long. You can still submit it."), [], "warn");
}

/** One key has sent an answer: it was quickly done, so it is quickly changed. @param {UnitPage} unitPage @param {number} id */
export function tellSent(unitPage, id) {
  const change = () => {
    location.hash = `#earlier/${id}`;
  };
  unitPage.tell(_("The text before was sent."), [{ words: _("Change its answer"), does: change }]);
}
