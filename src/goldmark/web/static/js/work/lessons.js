// Training and qualification: something to read, a text to judge as in the work itself, and what is said of the answer.
import { announce, h } from "../dom.js";
import { _ } from "../language.js";
import { Refused, Unreachable } from "./api.js";
import { uuid } from "./local_store.js";
import { UnitPage } from "./unit_page.js";
import { endingView, feedbackView, readingView } from "./lesson_views.js";

const STAGES = new Set(["learn", "qualify", "awaiting", "failed"]);

/** Whether a person still learns, so that there is a lesson instead of work. @param {{why: string} | null} finished */
export const learns = (finished) => STAGES.has(finished?.why);

/**
 * @typedef {object} Page what the lessons ask of the page
 * @property {any} protocol what the campaign asks
 * @property {string | null} leave where somebody from a crowd platform hands in
 * @property {(view: HTMLElement, unitPage?: UnitPage | null) => void} show
 * @property {() => void} work there is nothing more to learn
 * @property {(error: Error, again: () => void) => void} trouble
 */

export class Lessons {
  /**
   * @param {import("./api.js").Api} api
   * @param {import("./local_store.js").LocalStore} localStore
   * @param {import("./activity.js").Activity} activity
   * @param {import("./frame.js").Frame} frame
   * @param {Page} page
   */
  constructor(api, localStore, activity, frame, page) {
    Object.assign(this, { api, localStore, activity, frame, page });
    frame.status("");
  }

  /** Ask what to do now, or for another try, and show it. */
  async open(ask = () => this.api.lesson()) {
    try {
      this.#show(await ask());
    } catch (error) {
      this.page.trouble(error, () => this.open(ask));
    }
  }

  again() {
    return this.open(() => this.api.lessonAgain());
  }

  #show(lesson) {
    this.lesson = lesson;
    const { item, result, stage } = lesson;
    if (stage === "work") return this.page.work();
    this.frame.lesson(item ? this.#where() : "");
    if (result || !item) return this.page.show(endingView(lesson, this.#deeds()));
    this.activity.restart(0);
    if (!item.unit) return this.page.show(readingView(item, this.#where(), () => this.#send({}), this.#leaving()));
    return this.#openUnit(item);
  }

  #where() {
    const { stage, place, items, attempt } = this.lesson;
    const where = { at: place + 1, all: items, attempt };
    if (stage === "learn") return _("Training: {at} of {all}", where);
    return attempt > 1 ? _("Qualification, try {attempt}: {at} of {all}", where) : _("Qualification: {at} of {all}", where);
  }

  #leaving() {
    return this.lesson.may_leave ? () => this.open(() => this.api.lessonLeave()) : null;
  }

  #deeds() {
    return { again: () => this.again(), look: () => this.open(), protocol: this.page.protocol, leave: this.page.leave };
  }

  #openUnit(item) {
    const name = `lesson:${this.lesson.stage}:${this.lesson.attempt}:${item.id}`;
    const kept = this.localStore.get(name) ?? {};
    const page = {
      changed: (answers) => this.localStore.put(name, { ...this.localStore.get(name), answers }),
      submit: (answers) => this.#submit(name, answers),
      leave: () => this.open(),
    };
    const assignment = { id: name, unit: item.unit, answers: kept.answers ?? null, locked: false, returned: null };
    const how = { earlier: false, editing: true, reached: 0 };
    this.unitPage = new UnitPage(item.protocol ?? this.page.protocol, assignment, page, how);
    this.unitPage.lesson = true;
    const { previous } = this.lesson;
    const before = () => this.#tell(previous, () => this.#show(this.lesson));
    const line = h(
      "p",
      { class: "lesson-line" },
      h("strong", {}, item.title),
      ` · ${this.#where()}`,
      this.lesson.stage === "qualify" && ` · ${_("You learn how it went after the last text.")}`,
      previous && h("button", { type: "button", class: "quiet", onclick: before }, _("The answer before")),
      this.#leaving() && h("button", { type: "button", class: "quiet", onclick: this.#leaving() }, _("Back to work")),
    );
    this.page.show(h("div", { class: "lesson" }, line, this.unitPage.element), this.unitPage);
    this.unitPage.begin();
    announce(`${item.title}. ${this.#where()}`);
  }

  /** The key is kept with the answer, so that a reply that got lost can be asked for again. */
  async #submit(name, answers) {
    const { unitPage } = this;
    const key = this.localStore.get(name)?.key ?? uuid();
    this.localStore.put(name, { answers, key });
    unitPage.sending = true;
    await this.#send(answers, key, () => this.localStore.drop(name));
  }

  async #send(answers, key = uuid(), sent = () => {}) {
    const { item } = this.lesson;
    const body = { item: item.id, answers, client_key: key, seconds_active: this.activity.seconds };
    try {
      const { feedback, lesson } = await this.api.lessonAnswer(body);
      sent();
      if (feedback?.grade || feedback?.explanation_html) this.#tell(feedback, () => this.#show(lesson));
      else this.#show(lesson);
    } catch (error) {
      this.#failed(error, () => this.#send(answers, key, sent));
    }
  }

  #failed(error, again) {
    const { unitPage } = this;
    const beside = this.lesson.item?.unit && unitPage;
    if (beside) unitPage.sending = false;
    if (beside && error instanceof Refused && error.problems.length) unitPage.refused(error);
    else if (error instanceof Refused && error.status === 409) this.open();
    else if (beside && error instanceof Unreachable) {
      const words = _("The server cannot be reached. Your answer is kept in this browser.");
      unitPage.tell(words, [{ words: _("Send it again"), does: again }], "warn");
    } else this.page.trouble(error, again);
  }

  #tell(feedback, goOn) {
    this.page.show(feedbackView(feedback, this.page.protocol, goOn));
    announce(feedback.grade?.right ? _("Right") : _("Please look at the explanation"));
  }
}
