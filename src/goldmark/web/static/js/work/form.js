// The questions of a protocol, step by step. One renderer for all protocols: kinds draw themselves.
import { freshId, h } from "../dom.js";
import { _ } from "../language.js";
import { kindOf } from "../kinds/registry.js";
import { asked, problemsIn } from "./asked.js";

export class Form {
  at = 0; // which of the asked steps is shown
  problems = [];
  #fields = new Map();
  #current = "";

  /**
   * @param {any} protocol
   * @param {object} page
   * @param {any} page.unit
   * @param {(role: string | null) => import("../spans/element.js").TokenSpans | undefined} page.text
   * @param {(question: string, value: any, part?: string) => void} page.set
   */
  constructor(protocol, page) {
    this.protocol = protocol;
    this.page = page;
    this.heading = h("h1", { class: "step-title", tabindex: "-1" });
    this.below = h("div", { class: "questions", onfocusin: (event) => this.#noticeFocus(event) });
    this.beside = h("div", { class: "beside", onfocusin: (event) => this.#noticeFocus(event) });
    for (const step of protocol.steps) for (const question of step.questions) this.#add(question);
  }

  #add(question) {
    const host = {
      unit: this.page.unit,
      text: this.page.text,
      set: (value, part) => this.page.set(question.id, value, part),
      say: (value) => this.page.set(kindOf(question.kind).saidBeside(question), value),
      decides: this.#marking(question.of)[0] === question,
    };
    const widget = kindOf(question.kind).create(question, host);
    const [name, help, trouble] = [freshId("ask"), freshId("help"), freshId("problem")];
    const problem = h("div", { id: trouble, role: "alert", class: "problems" });
    const box = h(
      "fieldset",
      {
        class: `question kind-${question.kind}`,
        "data-question": question.id,
        "aria-describedby": `${help} ${trouble}`,
        "aria-labelledby": name,
      },
      h(
        "legend",
        { id: name, dir: "auto" },
        question.ask,
        question.required || question.kind === "spans" ? "" : h("span", { class: "soft" }, ` ${_("(optional)")}`),
      ),
      h("p", { class: "help", id: help, dir: "auto", hidden: !question.help }, question.help),
      widget.element,
      problem,
    );
    (widget.beside ? this.beside : this.below).append(box);
    this.#fields.set(question.id, { question, widget, box, problem, host });
  }

  /** The questions that mark words of one text, in order: the first of them decides what is suggested there. */
  #marking(role) {
    const questions = this.protocol.steps.flatMap((step) => step.questions);
    return questions.filter((one) => one.kind === "spans" && one.by === "token" && one.of === role);
  }

  /**
   * Draw these answers.
   * @param {Record<string, any>} answers
   * @param {{readOnly: boolean, lockedSteps: number}} state how many of the first steps can no longer be changed
   */
  update(answers, { readOnly, lockedSteps }) {
    this.state = { readOnly, lockedSteps };
    this.now = asked(this.protocol, answers);
    this.at = Math.min(this.at, this.now.steps.length - 1);
    const shown = new Set(this.now.steps[this.at].questions.map((question) => question.id));
    const known = new Set(this.now.steps.flatMap((one) => one.questions.map((question) => question.id)));
    const locked = new Set(
      this.now.steps.slice(0, lockedSteps).flatMap((one) => one.questions.map((question) => question.id)),
    );
    for (const [id, { question, widget, box, problem }] of this.#fields) {
      const own = this.problems.filter((one) => one.where === id);
      const visible = shown.has(id);
      if (box.hidden === visible && visible) widget.activate?.();
      box.hidden = !visible;
      widget.update(known.has(id) ? answers[id] : undefined, {
        readOnly: readOnly || locked.has(id) || !visible,
        problems: own,
        said: answers[kindOf(question.kind).saidBeside?.(question) ?? ""],
      });
      problem.replaceChildren(
        ...own
          .filter((one) => !one.part)
          .map((one) => h("p", { class: "problem" }, [one.what, one.remedy].filter(Boolean).join(" "))),
      );
      box.classList.toggle("has-problem", own.length > 0);
    }
    const { title } = this.now.steps[this.at].step;
    const place = this.now.steps.length > 1 || this.at > 0 ? _("Part {at} of {all}", { at: this.at + 1, all: this.now.steps.length }) : "";
    this.heading.replaceChildren(
      place && h("span", { class: "soft" }, place, title ? ": " : ""),
      h("bdi", {}, title || (place ? "" : this.protocol.title)), // which may run the other way than the page
    );
    this.beside.hidden = ![...this.#shown()].some((field) => field.widget.beside);
    this.below.hidden = ![...this.#shown()].some((field) => !field.widget.beside);
    this.#markCurrent(answers);
  }

  *#shown() {
    for (const question of this.now.steps[this.at].questions) yield this.#fields.get(question.id);
  }

  get isLast() {
    return this.at === this.now.steps.length - 1;
  }

  get step() {
    return this.now.steps[this.at].step;
  }

  /** Whether the text is what the person works on first in this step. */
  get startsInText() {
    return [...this.#shown()][0].widget.beside === true;
  }

  /** Check what is shown; problems appear beside their questions. @returns {boolean} whether all is well */
  check() {
    const hostOf = (question) => this.#fields.get(question.id).host;
    this.problems = problemsIn(this.now.steps[this.at].questions, this.now.answers, hostOf);
    return this.problems.length === 0;
  }

  /** The question whose words were chosen and not marked, if there is one. @returns {{widget: any, words: string} | null} */
  get loose() {
    const field = [...this.#shown()].find(({ widget }) => widget.loose);
    return field ? { widget: field.widget, words: field.widget.loose } : null;
  }

  /** Forget a problem once its question is touched again. */
  touched(question) {
    this.problems = this.problems.filter((problem) => problem.where !== question);
  }

  /** Go to the step of the first problem and put the focus there. */
  showProblems(problems, answers) {
    this.problems = problems;
    const [first] = problems;
    const at = this.now.steps.findIndex((one) => one.questions.some((question) => question.id === first?.where));
    if (at >= 0) this.at = at;
    this.update(answers, this.state);
    const field = this.#fields.get(first?.where);
    field?.box.scrollIntoView({ block: "nearest" });
    field?.widget.focus(first.part);
  }

  /**
   * A letter or digit, as `readings` of a key: for the question at hand, or the first that is still open.
   * @returns {any} the question that used it, if any did
   */
  key(pressed, answers) {
    const fields = [...this.#shown()].filter((field) => field.widget.key);
    const field = fields.find((one) => one.question.id === this.#current) ?? this.#firstOpen(answers) ?? fields[0];
    if (!field || this.state.readOnly || !pressed.some((key) => key.length === 1 && field.widget.key(key))) return null;
    field.box.scrollIntoView({ block: "nearest" });
    this.#current = field.question.kind === "choices" ? field.question.id : "";
    return field.question;
  }

  #firstOpen(answers) {
    return [...this.#shown()].find((field) => field.widget.key && answers[field.question.id] === undefined);
  }

  #noticeFocus(event) {
    const box = event.target instanceof Element && event.target.closest("[data-question]");
    this.#current = box instanceof HTMLElement ? box.dataset.question : "";
  }

  #markCurrent(answers) {
    const open = this.#firstOpen(answers);
    for (const field of this.#fields.values())
      field.box.classList.toggle("open-question", field === open && !this.state.readOnly);
  }
}
