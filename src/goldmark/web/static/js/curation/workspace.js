// The curator's workspace: the text with everybody's marks, the proposal, and one key for each decision.
import { announce, h } from "../dom.js";
import { FINISHED, actOn, link, write } from "./acts.js";
import { Categories } from "./categories.js";
import { Details } from "./details.js";
import { Editor } from "./editor.js";
import { Entries } from "./entries.js";
import { inForce } from "./fold.js";
import { Frame } from "./frame.js";
import { listen, showKeys } from "./keys.js";
import { Model } from "./model.js";
import { Ends, Pair } from "./modes.js";
import { Paper } from "./paper.js";
import { HistoryList, drawAgreement, drawData, drawVersions } from "./side.js";
import { Told } from "./told.js";

class Workspace {
  /** @type {any} */ mode = null;
  chosen = "";
  at = 0; // where in the text the curator is

  constructor(config, place) {
    this.config = config;
    this.model = new Model(config);
    this.paper = new Paper(config, (atom) => this.touch(atom));
    const details = new Details(config.question, (place) => this.paper.quote(place), {
      set: (attribute, values) => this.take("change_attribute", { mark: this.chosen, attribute, values }),
      write: (attribute) => write(this, attribute),
      link: (role) => link(this, role),
      unlink: (role) => this.take("change_links", { mark: this.chosen, role, passages: [] }),
    });
    this.entries = new Entries(this.paper, details, {
      choose: (id) => this.choose(id),
      act: (key) => this.act(key),
    });
    this.told = new Told((range) => this.paper.atoms.read(range));
    this.history = new HistoryList(this.told, (step) => this.take("undo", { step }));
    this.categories = new Categories(config.question, (path) => this.label(path));
    this.editor = new Editor(() => this.leave());
    this.frame = new Frame((key) => this.act(key));
    this.#fill(place);
    this.model.addEventListener("change", () => this.draw());
    this.model.addEventListener("refused", (/** @type {any} */ { detail }) => this.frame.notice(detail, "bad", false));
    this.model.addEventListener("meeting", (/** @type {any} */ { detail }) => this.meet(detail));
    const { entries, responses } = this.model.state;
    this.chosen = (entries.find((one) => one.status === "open") ?? entries[0])?.id ?? "";
    this.draw();
    if (responses.join() !== config.basis.join()) this.#moreAnswers();
    listen(this);
    window.addEventListener("beforeunload", (event) => this.model.waiting && event.preventDefault());
  }

  #fill(place) {
    const { config } = this;
    this.frame.reason.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === "Escape") this.entries.focus(this.chosen);
    });
    this.frame.fill(place, {
      paper: this.paper.element,
      deciding: [this.editor.element, this.categories.element, this.entries.element],
      data: [drawData(config.context), drawAgreement(config.agreement), this.history.element, drawVersions(config)],
    });
  }

  #moreAnswers() {
    const restart = async () => {
      const why = await this.model.restart(this.frame.reason.value.trim());
      if (why) this.hint(why);
      else window.location.reload();
    };
    const again = h("button", { type: "button", onclick: restart }, "Start again with them");
    const what = "People have answered or amended since this was begun. Their marks are drawn, but not proposed.";
    this.frame.notice(what, "warn", false, again);
  }

  get entry() {
    return this.model.state.entries.find((one) => one.id === this.chosen);
  }

  draw() {
    const { state } = this.model;
    if (!this.entry)
      this.chosen = (state.entries.find((one) => one.start >= this.at) ?? state.entries.at(-1))?.id ?? "";
    this.paper.paint(state);
    this.paper.light(this.mode ? null : (this.entry ?? null), "lit");
    this.paper.light(this.mode?.place ?? null, "chosen");
    this.entries.draw(state, this.chosen, this.mode?.other?.id ?? "");
    this.history.draw(this.model.steps, state.finished);
    const ready = Boolean(this.mode || this.entry);
    this.categories.draw({ ready, label: this.entry?.label ?? "", readOnly: state.finished });
    this.frame.draw(state, this.model);
    this.frame.drawMode(this.mode, this.mode ? this.paper.quote(this.mode.place) : "", this);
  }

  /** Say why something did not happen; it goes when something does. */
  hint(message) {
    this.frame.notice(message, "bad", true);
  }

  /** Another curator was here at the same time. */
  meet(meeting) {
    this.frame.notice(this.told.meeting(meeting, this.model.steps), "warn", false);
  }

  // --- moving about

  choose(id) {
    if (this.mode instanceof Pair) {
      this.mode.choose(id);
      this.draw();
      return;
    }
    this.chosen = id;
    this.at = this.entry?.start ?? 0;
    this.editor.close();
    this.categories.close();
    this.draw();
    this.entries.focus(id);
    if (this.entry) this.paper.reveal(this.entry);
  }

  #go(by) {
    const { entries } = this.model.state;
    const here = entries.findIndex((one) => one.id === this.chosen);
    const next = entries[Math.min(Math.max(here + by, 0), entries.length - 1)];
    if (next) this.choose(next.id);
  }

  goUndecided() {
    const { entries } = this.model.state;
    const here = entries.findIndex((one) => one.id === this.chosen);
    const open = [...entries.slice(here + 1), ...entries.slice(0, here + 1)].find((one) => one.status === "open");
    if (open) this.choose(open.id);
    else announce("Nothing is undecided.");
  }

  touch(atom) {
    if (this.mode) {
      this.mode.touch(atom);
      this.draw();
      return;
    }
    const here = this.model.state.entries.filter((one) => one.start <= atom && atom < one.end);
    const next = here[(here.findIndex((one) => one.id === this.chosen) + 1) % here.length];
    if (next) this.choose(next.id);
  }

  // --- doing

  take(kind, facts) {
    const why = this.model.take(kind, facts, this.frame.reason.value.trim());
    if (why) this.hint(why);
    else {
      this.frame.reason.value = "";
      this.frame.settle();
    }
    return !why;
  }

  act(command, key = command) {
    const simple = {
      next: () => this.#go(1),
      previous: () => this.#go(-1),
      undecided: () => this.goUndecided(),
      "+": () => this.#place(),
      u: () => this.#undo(),
      t: () => this.edit("note", {}, "Note on the text", this.model.state.note),
      r: () => this.frame.reason.focus(),
      f: () => (this.model.state.finished ? this.act("o") : this.#finish()),
      o: () => this.take("reopen", {}),
      "?": showKeys,
      unit: () => this.#openUnit(key === "[" ? this.config.before : this.config.after),
    };
    if (simple[command]) simple[command]();
    else if (this.entry) actOn(this, this.entry, command);
  }

  #undo() {
    const fixed = ["begin", "undo", "finish", "reopen"];
    const mine = inForce(this.model.steps).filter((step) => step.author === this.config.me);
    const last = mine.findLast((step) => !fixed.includes(step.kind));
    if (last) this.take("undo", { step: last.number });
    else this.hint("There is nothing of yours to undo. Steps of others can be taken back in the history.");
  }

  #finish() {
    if (!this.take("finish", {})) {
      this.goUndecided();
      return;
    }
    const { following, here, query } = this.config;
    const next = (following ? `${here}/${following}` : here) + query;
    const link = h("a", { href: next, class: "button" }, following ? "Next text to curate" : "Back to the list");
    this.frame.notice("Finished. A version of the gold list of this text is kept.", "good", true, link);
    link.focus();
  }

  #openUnit(/** @type {number | null} */ unit) {
    if (unit) window.location.assign(`${this.config.here}/${unit}${this.config.query}`);
  }

  // --- what takes more than one key

  #place() {
    const { first, last } = this.config.rules;
    const start = Math.min(Math.max(this.entry?.end ?? first, first), last - 1);
    const selected = this.paper.selected();
    window.getSelection()?.removeAllRanges();
    this.enter(new Ends("add", selected ?? { start, end: start + 1 }, this.config.rules));
  }

  enter(mode) {
    if (this.model.state.finished) {
      this.hint(FINISHED);
      return;
    }
    this.mode = mode;
    this.editor.close();
    this.draw();
    this.entries.focus(this.chosen); // Enter keeps what is placed, and does not press the button that began it
    this.paper.reveal(mode.place);
    announce(`${mode.help} ${this.paper.quote(mode.place)}`);
  }

  arrow(by, shift) {
    this.mode.arrow(by, shift);
    this.draw();
    this.paper.reveal(this.mode.place);
    announce(this.paper.quote(this.mode.place));
  }

  /** @returns {boolean} whether there was anything to leave */
  leave() {
    const open = Boolean(this.mode) || this.editor.open;
    this.mode = null;
    this.editor.close();
    const level = this.categories.close();
    this.draw();
    if (open) this.entries.focus(this.chosen);
    return open || level;
  }

  keep() {
    const { mode, chosen: mark } = this;
    if (mode.kind === "add" && this.config.question.labels) {
      this.hint("Choose a category to keep the new mark.");
      return;
    }
    const taken = {
      add: () => this.label(""),
      span: () => this.take("change_span", { mark, ...mode.place }),
      split: () => this.take("split", { mark, at: mode.at }),
      link: () => this.take("change_links", { mark, role: mode.role, passages: [mode.place] }),
      same: () => this.take("same_meaning", { mark, other: mode.other.id }),
    }[mode.kind]();
    if (taken) this.leave();
  }

  label(path) {
    if (this.mode?.kind === "add") {
      const number = this.model.steps.length + 1;
      if (!this.take("add", { ...this.mode.place, label: path })) return;
      this.chosen = `${number}.1`;
      this.leave();
    } else if (!this.mode && this.entry) this.take("change_label", { mark: this.chosen, label: path });
  }

  /** A key that a category may have; outside of a new mark only as a capital. @returns {boolean} whether one has it */
  labelKey(key, inMode) {
    if (this.model.state.finished || (this.mode && this.mode.kind !== "add")) return false;
    return this.categories.key(key, inMode);
  }

  edit(kind, facts, name, before, offers = []) {
    const field = kind === "note" ? "note" : kind.replace("change_", "");
    const of = facts.mark && this.entry ? `${name} of “${this.paper.quote(this.entry)}”` : name;
    if (this.model.state.finished) this.hint(FINISHED);
    else this.editor.ask(of, before, offers, (words) => this.take(kind, { ...facts, [field]: words }));
  }
}

const place = document.getElementById("curation");
const config = document.getElementById("workspace-config");
if (place && config?.textContent) new Workspace(JSON.parse(config.textContent), place);
