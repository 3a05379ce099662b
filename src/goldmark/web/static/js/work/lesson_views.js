// The pages of a lesson around the text: reading, what is said of an answer, and how a qualification ended.
import { cleanedHtml, h } from "../dom.js";
import { _, ngettext, percent } from "../language.js";
import "../spans/element.js";
import { drawContext } from "./context.js";
import { column, handIn, heading, onward } from "./views.js";

// Words first, then colour and pattern: nobody needs to see colours to know what was found.
const VERDICTS = {
  found: { badge: `✓ ${_("found")}`, tone: 1, sign: "✓" },
  missed: { badge: `✗ ${_("missed")}`, tone: 7, sign: "✗" },
  extra: { badge: `– ${_("not an error")}`, tone: 4, sign: "–" },
  optional: { badge: _("may be marked"), tone: 8, sign: "·" },
};

export function readingView(item, where, read, leave) {
  return column(
    h("p", { class: "lesson-line" }, where),
    heading(item.title),
    cleanedHtml(item.html),
    h(
      "div",
      { class: "row onward" },
      onward(_("I have read it, go on"), read),
      leave && h("button", { type: "button", onclick: leave }, _("Back to work")),
    ),
  );
}

/** What is said of one answer, with the marks drawn on the text. */
export function feedbackView(feedback, protocol, goOn) {
  const { grade } = feedback;
  return h(
    "div",
    { class: "column wide stack feedback" },
    heading(!grade ? _("A word on this text") : grade.right ? _("Right") : _("Not quite right")),
    ...feedbackParts(feedback, protocol),
    h("div", { class: "row onward" }, onward(_("Go on"), goOn)),
  );
}

function feedbackParts({ item, grade, explanation_html: explanation }, protocol) {
  const asked = item.protocol ?? protocol;
  const questions = new Map(asked.steps.flatMap((step) => step.questions).map((question) => [question.id, question]));
  const context = drawContext(item.unit.context ?? []);
  const several = (grade?.parts.length ?? 0) > 1;
  return [
    ...(grade?.parts ?? []).map((part) =>
      h(
        "section",
        { class: `card verdict ${part.right ? "right" : "wrong"}` },
        several && h("h2", {}, `${part.right ? "✓" : "✗"} `, questions.get(part.question).ask),
        part.sentences.map((words) => h("p", { dir: "auto" }, words)),
        part.marks.length > 0 &&
          h(
            "ol",
            { class: "graded" },
            part.marks.map((mark) => h("li", { "data-verdict": mark.verdict, dir: "auto" }, said(mark))),
          ),
      ),
    ),
    explanation && h("section", { class: "card", "aria-label": _("Explanation") }, cleanedHtml(explanation)),
    ...drawnTexts(item.unit, grade, questions),
    context,
  ];
}

const said = (mark) => [
  h("span", { class: "sign", "aria-hidden": "true" }, VERDICTS[mark.verdict].sign),
  " ",
  mark.sentence,
];

function drawnTexts(unit, grade, questions) {
  const roles = Object.keys(unit.texts);
  return roles.map((role) => {
    const name = role === "text" ? _("Text") : _("Text {name}", { name: role.toUpperCase() });
    const parts = (grade?.parts ?? []).filter((part) => (questions.get(part.question).of ?? roles[0]) === role);
    const element = /** @type {import("../spans/element.js").TokenSpans} */ (document.createElement("token-spans"));
    const byCharacter = parts.some((part) => questions.get(part.question).by === "character");
    element.load(unit.texts[role], { by: byCharacter ? "character" : "token", name, markable: false });
    element.show("feedback", parts.flatMap((part) => drawnMarks(part, questions.get(part.question), element)));
    return h("section", { class: "card text-box", "aria-label": name }, roles.length > 1 && h("h2", {}, name), element);
  });
}

const drawnMarks = (part, question, element) =>
  part.marks.map((mark, index) => ({
    id: `feedback/${part.question}/${index}`,
    ...element.atoms.fromAnswer(mark, question.by ?? "token"),
    tone: VERDICTS[mark.verdict].tone,
    badge: VERDICTS[mark.verdict].badge,
    role: "own",
    title: mark.sentence,
  }));

const share = (value) => (value === null ? "–" : percent(value));

/** How a qualification ended, or that somebody still has to decide. */
export function endingView({ result, stage }, { again, look, protocol, leave = null }) {
  if (stage === "awaiting" || !result)
    return column(
      heading(_("Thank you")),
      h("p", { class: "lead" }, _("Your answers are with a reviewer. When they have decided, you can go on with the same link.")),
      h("div", { class: "row onward" }, onward(_("Look again"), look)),
    );
  const { rows, missed, may_retry: retry, attempt, attempts } = result;
  const left = attempts - attempt;
  return h(
    "div",
    { class: "column wide stack ending" },
    heading(retry ? _("Not passed this time") : _("Thank you for trying")),
    h(
      "p",
      { class: "lead" },
      retry
        ? ngettext(
            "You can try again once. Please look at what was missed; then you learn once more and get another try.",
            "You can try again {count} times. Please look at what was missed; then you learn once more and get another try.",
            left,
          )
        : _("The qualification was not passed, so there are no texts for you here."),
    ),
    !retry && result.thanks_html && h("section", { class: "card" }, cleanedHtml(result.thanks_html)),
    !retry && leave && handIn(leave, _("Please tell the platform that you are done here.")),
    rows.length > 0 && sharesTable(rows),
    ...missed.flatMap((one, index) => [
      h("h2", {}, missed.length > 1 ? _("What was missed, text {number}", { number: index + 1 }) : _("What was missed")),
      ...feedbackParts(one, protocol),
    ]),
    retry && h("div", { class: "row onward" }, onward(_("Learn again and retry"), again)),
  );
}

function sharesTable(rows) {
  const line = (row) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, row.what),
      h("td", { class: "number" }, share(row.share)),
      h("td", { class: "number" }, row.needed === null ? "" : share(row.needed)),
      h("td", {}, row.needed === null ? "" : row.met ? `✓ ${_("met")}` : `✗ ${_("not met")}`),
    );
  const head = ["", _("yours"), _("needed"), ""].map((words) => (words ? h("th", { scope: "col" }, words) : h("td", {})));
  return h("table", { class: "shares" }, h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows.map(line)));
}
