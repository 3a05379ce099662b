// The work page of one unit: the text, what stands beside it, the questions, and the buttons to go on.
import { h, takesText } from "../dom.js";
import { _ } from "../language.js";
import { combined, isLetter, readings } from "../keys.js";
import "../kinds/index.js";
import { kindOf } from "../kinds/registry.js";
import "../spans/element.js";
import { drawContext, isBrief } from "./context.js";
import { looseDialog } from "./dialogs.js";
import { Form } from "./form.js";
import { History } from "./history.js";
import { Returned } from "./returned.js";

/**
 * @typedef {object} Page what the page tells the page
 * @property {(answers: object) => void} changed
 * @property {(answers: object) => void} submit
 * @property {() => void} leave back from an earlier answer
 * @property {import("./local_store.js").LocalStore} [kept] what is kept in this browser
 */

export class UnitPage {
  /**
   * @param {any} protocol
   * @param {any} assignment
   * @param {Page} page
   * @param {{earlier: boolean, editing: boolean, reached: number, preview?: boolean}} how `reached`: so many steps are
   *   locked; `preview`: to try, not to submit
   */
  constructor(protocol, assignment, page, how) {
    Object.assign(this, { protocol, assignment, page });
    this.readOnly = assignment.locked || (how.earlier && !how.editing);
    this.earlier = how.earlier;
    this.preview = how.preview ?? false;
    this.lockedSteps = how.reached;
    this.texts = this.#drawTexts();
    this.returned = assignment.returned ? new Returned(assignment, this.readOnly ? null : page.kept) : null;
    this.form = new Form(protocol, {
      unit: assignment.unit,
      text: (role) => this.texts.get(role ?? [...this.texts.keys()][0]),
      set: (question, value, part) => this.#set(question, value, part),
    });
    this.history = new History(assignment.answers ?? {}, (answers) => this.#changed(answers));
    const context = assignment.unit.context ?? [];
    this.element = this.#layOut(drawContext(context), isBrief(context));
    this.#draw();
  }

  #drawTexts() {
    const { unit } = this.assignment;
    const roles = (this.protocol.texts ?? []).filter((role) => unit.texts[role]);
    const marking = this.protocol.steps
      .flatMap((step) => step.questions)
      .flatMap((question) => kindOf(question.kind).marks?.(question) ?? []);
    const first = roles[0] ?? Object.keys(unit.texts)[0];
    return new Map(
      (roles.length ? roles : Object.keys(unit.texts)).map((role) => {
        const mine = marking.filter(({ of }) => (of ?? first) === role);
        const element = /** @type {import("../spans/element.js").TokenSpans} */ (document.createElement("token-spans"));
        element.load(unit.texts[role], {
          by: mine.some(({ by }) => by === "character") ? "character" : "token",
          name: named(role),
          markable: mine.length > 0,
        });
        const given = (unit.texts[role].given ?? []).map((mark, index) => ({
          id: `given/${index}`,
          ...element.atoms.fromAnswer(mark, "token"),
          tone: 8,
          role: "given",
          badge: mark.label,
          title: mark.label || "given",
        }));
        element.show("given", given);
        return [role, element];
      }),
    );
  }

  #layOut(context, brief) {
    const several = this.texts.size > 1;
    const above = several || brief; // where what was asked stands: above the text, or beside it
    this.notices = h("div", { class: "notices" });
    this.trouble = h("div", { class: "trouble", role: "alert" });
    this.back = h("button", { type: "button", onclick: () => this.#step(-1) }, _("Back"));
    this.go = h("button", { type: "button", class: "primary", onclick: () => this.goOn() });
    this.undoButton = h("button", { type: "button", class: "quiet", onclick: () => this.history.undo() }, _("Undo"));
    this.redoButton = h("button", { type: "button", class: "quiet", onclick: () => this.history.redo() }, _("Redo"));
    this.leave = h("button", { type: "button", onclick: () => this.page.leave() }, _("Back to my current text"));
    this.note = h("p", { class: "help" });
    const texts = h(
      "div",
      { class: "texts" },
      [...this.texts].map(([role, element]) =>
        h(
          "section",
          { class: "text-box", "data-role": role, "aria-label": named(role) },
          several && h("h2", { class: "text-name" }, named(role)),
          element,
        ),
      ),
    );
    const buttons = h(
      "div",
      { class: "go no-print" },
      this.trouble,
      this.note,
      h(
        "div",
        { class: "row" },
        this.go,
        this.back,
        this.earlier && this.leave,
        h("span", { class: "again" }, this.undoButton, this.redoButton),
      ),
    );
    const main = h(
      "div",
      { class: "main-column" },
      !several && above && context,
      h("div", { class: "reading" }, this.form.heading, this.returned?.notice, texts),
      h("div", { class: "answering" }, this.form.below, buttons),
    );
    // A comparison takes the whole width, so what was asked for stands above the two texts instead of beside them.
    return h(
      "div",
      { class: `unit-page${several ? " several" : ""}${context && !brief ? " with-context" : ""}` },
      this.notices,
      several && context,
      main,
      h("div", { class: "side-column" }, this.form.beside, !above && context),
    );
  }

  get answers() {
    return this.history.answers;
  }

  #set(question, value, part) {
    if (this.readOnly) return;
    this.form.touched(question);
    this.history.set(question, value, part);
  }

  #changed(answers) {
    this.trouble.replaceChildren();
    this.#draw();
    this.page.changed(answers);
  }

  #draw() {
    const { form } = this;
    form.update(this.answers, { readOnly: this.readOnly, lockedSteps: this.lockedSteps });
    this.element.classList.toggle("with-beside", !form.beside.hidden);
    this.back.hidden = form.at === 0;
    this.go.hidden = (this.readOnly || this.preview) && form.isLast;
    const submits = this.earlier ? _("Save the change") : _("Submit");
    this.go.replaceChildren(form.isLast ? submits : _("Next"), " ", h("kbd", { "aria-hidden": "true" }, "Ctrl ⏎"));
    const locks = form.step.locks && !this.readOnly && !this.preview && form.at >= this.lockedSteps;
    this.note.textContent = this.readOnly
      ? _("This answer can no longer be changed.")
      : locks
        ? _("After “{button}” this answer cannot be changed.", { button: form.isLast ? submits : _("Next") })
        : "";
    this.undoButton.disabled = !this.history.canUndo;
    this.redoButton.disabled = !this.history.canRedo;
    this.undoButton.hidden = this.redoButton.hidden = this.readOnly;
    this.returned?.draw(this.element);
  }

  /** Go on to the next step, or submit if this is the last; words that were chosen and not marked are asked about. */
  goOn() {
    const { form } = this;
    if (this.busy) return;
    if (form.loose) {
      looseDialog(form.loose, () => this.goOn());
      return;
    }
    if (!this.readOnly && !form.check()) {
      form.showProblems(form.problems, this.answers);
      return;
    }
    if (!form.isLast) {
      this.#step(1);
      return;
    }
    if (!this.readOnly && !this.preview) this.page.submit(form.now.answers);
  }

  #step(by) {
    const { form } = this;
    if (by > 0 && form.step.locks) {
      this.lockedSteps = Math.max(this.lockedSteps, form.at + 1);
      this.page.locked?.(this.lockedSteps);
    }
    form.at = Math.max(0, Math.min(form.at + by, form.now.steps.length - 1));
    this.#draw();
    this.begin();
  }

  /** Put the focus where this step starts. */
  begin() {
    const text = [...this.texts.values()].find((one) => one.cursor);
    if (this.form.startsInText && text) text.takeFocus();
    else this.form.heading.focus({ preventScroll: true });
  }

  /** The answer is on its way: nothing can be changed until the server has spoken. */
  set sending(sending) {
    this.busy = sending;
    this.element.classList.toggle("sending", sending);
    this.go.setAttribute("aria-disabled", String(sending));
    for (const part of [this.form.below, this.form.beside]) part.inert = sending;
  }

  /** @param {{message: string, problems: any[], code: string}} refusal */
  refused({ message, problems, code }) {
    if (code === "ANSWER-05") this.returned?.askForReason();
    const loose = problems.filter(
      (problem) =>
        !problem.where ||
        !this.protocol.steps.some((step) => step.questions.some((question) => question.id === problem.where)),
    );
    const words = problems.length
      ? [_("Not accepted yet: please look at the marked places."), ...loose.map((problem) => problem.what)]
      : [message];
    this.trouble.replaceChildren(
      h(
        "div",
        { class: "notice bad" },
        words.map((one) => h("p", {}, one)),
      ),
    );
    if (problems.length) this.form.showProblems(problems, this.answers);
  }

  /** @param {string} words @param {Array<{words: string, does: () => void}>} deeds @param {string} [tone] */
  tell(words, deeds = [], tone = "") {
    const notice = h(
      "div",
      { class: `notice ${tone} no-print`, role: "status" },
      h("p", {}, words),
      deeds.map((deed) =>
        h(
          "button",
          {
            type: "button",
            onclick: () => {
              deed.does();
              notice.remove();
            },
          },
          deed.words,
        ),
      ),
      h(
        "button",
        { type: "button", class: "quiet", "aria-label": _("Close this message"), onclick: () => notice.remove() },
        "×",
      ),
    );
    this.notices.replaceChildren(notice);
    return notice;
  }

  /** A key that no part of the page has used. @param {KeyboardEvent} event @returns {boolean} */
  key(event) {
    const command = event.ctrlKey || event.metaKey;
    if (command && event.key === "Enter") this.goOn();
    else if (command && isLetter(event, "z") && !takesText(event.target))
      event.shiftKey ? this.history.redo() : this.history.undo();
    else if (command && isLetter(event, "y") && !takesText(event.target)) this.history.redo();
    else if (combined(event) || takesText(event.target)) return false;
    else {
      const question = this.form.key(readings(event), this.answers);
      if (question?.go_on) this.goOn();
      this.quick = Boolean(question?.go_on);
      return Boolean(question);
    }
    return true;
  }
}

const named = (role) => (role === "text" ? _("Text") : _("Text {name}", { name: role.charAt(0).toUpperCase() + role.slice(1) }));
