// The annotator's page: decides what is shown (consent, instructions, work, thanks) and keeps drafts and answers safe.
import { announce, h, takesText } from "./dom.js";
import { Activity, spoken } from "./work/activity.js";
import { Api, Refused } from "./work/api.js";
import { Desk } from "./work/desk.js";
import { Drafts } from "./work/drafts.js";
import { Outbox } from "./work/outbox.js";
import { Shelf } from "./work/shelf.js";
import { consentView, earlierDialog, instructionsDialog, instructionsView, keysDialog, thanksView, troubleView } from "./work/views.js";

/** The time of day, with the date unless it is today. */
function clock(iso) {
  const [then, time] = [new Date(iso), { hour: "2-digit", minute: "2-digit" }];
  const today = then.toDateString() === new Date().toDateString();
  return then.toLocaleString([], today ? time : { ...time, day: "numeric", month: "short" });
}

class WorkPage {
  /** @type {Desk | null} */ desk = null;
  next = null; // the server's last word on what to do next

  constructor(root, config) {
    this.root = root;
    const token = config.token ?? root.dataset.token;
    this.api = new Api(config.api ?? "/api/v1", token);
    this.shelf = new Shelf(token);
    this.activity = new Activity();
    this.activity.watch();
    this.outbox = new Outbox(this.api, this.shelf, { waiting: (seconds) => this.#waiting(seconds) });
    this.drafts = new Drafts(this.api, this.shelf, { state: (name, at) => this.#status(name, at), conflict: (draft) => this.#overtaken(draft), seconds: () => this.activity.seconds });
    this.status = document.getElementById("status");
    this.progressText = document.getElementById("progress");
    document.addEventListener("keydown", (event) => this.#key(event));
    document.addEventListener("visibilitychange", () => this.#lookAgain());
    addEventListener("hashchange", () => this.#route());
    addEventListener("beforeunload", (event) => this.status.dataset.state === "queued" && event.preventDefault());
    setInterval(() => this.#showProgress(), 15_000);
  }

  // What is shown.

  async start() {
    try {
      if (this.outbox.parcels.length) await this.#flush();
      this.work = await this.api.work();
      this.#drawTools();
      if (this.work.campaign.consent_html && !this.work.annotator.consented) return this.#show(consentView(this.work.campaign, () => this.#consent()));
      return this.#afterConsent();
    } catch (error) {
      return this.#trouble(error, () => this.start());
    }
  }

  async #consent() {
    try {
      this.work = await this.api.consent();
      await this.#afterConsent();
    } catch (error) {
      this.#trouble(error, () => this.start());
    }
  }

  #afterConsent() {
    const { protocol, progress } = this.work;
    if (this.shelf.get("instructed") || !protocol.instructions_html) return this.#goOn();
    return this.#show(instructionsView(protocol, () => {
      this.shelf.put("instructed", true);
      this.#goOn();
    }, progress.done > 0));
  }

  async #goOn(ask = () => this.api.next()) {
    try {
      this.next = await ask();
      await this.#route();
    } catch (error) {
      this.#trouble(error, () => this.#goOn(ask));
    }
  }

  /** The address may name an earlier answer: #earlier/12. */
  async #route() {
    const earlier = /^#earlier\/(\d+)$/u.exec(location.hash);
    if (!this.next) return;
    if (earlier) {
      try {
        return this.#openDesk(await this.api.assignment(Number(earlier[1])), true);
      } catch (error) {
        return this.#trouble(error, () => this.#backToWork());
      }
    }
    this.progress = this.next.progress;
    if (this.next.assignment) return this.#openDesk(this.next.assignment, false);
    return this.#finish();
  }

  #finish() {
    this.drafts.close({ forget: false });
    this.#status("");
    this.#show(thanksView(this.next.finished, this.next.progress, { another: () => this.#goOn(() => this.api.anotherBatch()), again: () => this.#goOn(), earlier: () => this.#earlier() }));
  }

  #openDesk(assignment, earlier) {
    if (this.desk) this.drafts.close({ forget: false });
    const found = assignment.locked ? null : this.drafts.open(assignment);
    this.activity.restart(found?.seconds ?? 0);
    const desk = new Desk(this.work.protocol, assignment, {
      changed: (answers) => this.drafts.changed(answers),
      submit: (answers) => this.#submit(answers),
      leave: () => this.#backToWork(),
      locked: (steps) => this.shelf.put(`locked:${assignment.id}`, steps),
    }, { earlier, editing: this.work.campaign.editing, reached: this.shelf.get(`locked:${assignment.id}`) ?? 0 });
    this.#show(desk.element);
    this.desk = desk;
    this.#status("");
    this.#showProgress();
    if (earlier) desk.tell(desk.readOnly ? "You are looking at an earlier answer." : "You are looking at an earlier answer. Change it and save, or go back.");
    if (found) this.#offer(found);
    if (assignment.state === "lapsed") desk.tell("This text was given back because it lay for long. You can still submit it.", [], "warn");
    desk.begin();
    const { batch_done: done, batch_size: size } = this.next.progress;
    announce(earlier ? "An earlier answer" : `Text ${done + 1}${size ? ` of ${size}` : ""}`);
  }

  #offer(found) {
    const { desk } = this;
    if (found.other) desk.history.change(found.other);
    desk.history.change(found.answers);
    const where = found.from === "here" ? "from this browser" : "from the server";
    const deeds = [{ words: "Start from the beginning", does: () => desk.history.change(desk.assignment.answers ?? {}) }];
    if (found.other) deeds.unshift({ words: "Use the other draft", does: () => desk.history.change(found.other) });
    const other = found.other ? " Another device had saved a different one." : "";
    desk.tell(`Your draft of ${clock(found.at)} ${where} is back.${other}`, deeds);
  }

  #overtaken(draft) {
    this.desk?.tell(`Another device saved a draft at ${clock(draft.saved_at)}. What you see here was changed later and is kept.`,
      [{ words: "Use the other draft", does: () => this.desk.history.change(draft.answers) }], "warn");
  }

  /** Back at this page: another device may have gone on with the text, or finished it. */
  async #lookAgain() {
    const { desk } = this;
    if (document.hidden || !desk || desk.busy || desk.earlier) return;
    const now = await this.api.assignment(desk.assignment.id).catch(() => null);
    if (!now || desk !== this.desk || desk.busy) return;
    if (now.revision > desk.assignment.revision) {
      this.drafts.close({ forget: true });
      await this.#goOn();
      return;
    }
    const draft = this.drafts.overtakenBy(now.draft);
    if (!draft || JSON.stringify(draft.answers) === JSON.stringify(desk.answers)) return;
    desk.history.change(draft.answers);
    desk.tell(`You went on elsewhere: the draft of ${clock(draft.saved_at)} is shown.`, [{ words: "Back to what was here", does: () => desk.history.undo() }]);
  }

  #backToWork() {
    history.replaceState(null, "", location.pathname + location.search);
    this.#goOn();
  }

  // Submitting.

  async #submit(answers) {
    const { desk } = this;
    this.drafts.hold();
    desk.sending = true;
    this.#status("sending");
    this.outbox.add(desk.assignment.id, answers, this.activity.seconds);
    try {
      await this.#flush();
    } catch (error) {
      desk.sending = false;
      this.#trouble(error, () => this.start());
    }
  }

  /** Send what waits; then go on with what the server gives next. */
  async #flush() {
    const { reply, refused } = await this.outbox.empty();
    const { desk } = this;
    if (refused) return this.#refusedAnswer(refused);
    this.waitingNotice?.remove();
    if (!desk) {
      this.shelf.drop(`draft:${reply.accepted.assignment}`);
      return undefined;
    }
    this.drafts.close({ forget: true });
    this.shelf.drop(`locked:${desk.assignment.id}`);
    this.next = reply.next;
    this.desk = null;
    announce("Saved");
    if (desk.earlier) return this.#backToWork();
    await this.#route();
    this.#status("sent");
    return undefined;
  }

  #refusedAnswer({ parcel, error }) {
    this.waitingNotice?.remove();
    if (!this.desk || this.desk.assignment.id !== parcel.assignment) {
      // Sent after a reload: give it back as a draft, so that it is offered where it can be mended.
      this.shelf.put(`draft:${parcel.assignment}`, { answers: parcel.answers, at: parcel.client_time, version: Number.MAX_SAFE_INTEGER, unsaved: true, seconds: parcel.seconds_active });
      return;
    }
    this.desk.sending = false;
    this.#status("");
    this.desk.refused({ message: error.message, problems: error.problems });
  }

  #waiting(seconds) {
    this.#status("queued");
    if (!this.desk) return this.#show(h("div", { class: "column stack" }, h("h1", {}, "No connection"), h("p", {}, "An answer of yours is kept in this browser and will be sent as soon as the server can be reached."), h("button", { type: "button", class: "primary", onclick: () => this.outbox.hurry() }, "Try now")));
    this.waitingNotice?.remove();
    this.waitingNotice = h("div", { class: "notice warn queued", role: "status" }, h("p", {}, h("strong", {}, "Kept here, not sent yet. "), `The server cannot be reached. Your answer is safe in this browser and is sent by itself; next try in ${Math.round(seconds)} s.`), h("button", { type: "button", onclick: () => this.outbox.hurry() }, "Try now"));
    this.desk.trouble.replaceChildren(this.waitingNotice);
    return undefined;
  }

  // The frame of the page.

  #show(element) {
    if (this.desk && element !== this.desk.element) this.desk = null;
    this.root.replaceChildren(element);
    scrollTo(0, 0);
    /** @type {HTMLElement | null} */ (element.querySelector("h1[tabindex]"))?.focus({ preventScroll: true });
  }

  #trouble(error, again) {
    const known = error instanceof Refused;
    if (!known && error.name !== "Error") console.error(error);
    this.#show(troubleView(known ? "This does not work" : "No connection", known ? error.message : "The server cannot be reached. Nothing is lost: your drafts are kept in this browser.", again));
  }

  #status(name, at) {
    const words = { saving: "Saving …", saved: `Draft saved ${at ? clock(at) : ""}`, kept: "Offline: kept here", refused: "Not on the server: kept here", sending: "Sending …", queued: "Kept here, not sent yet", sent: "Saved" };
    this.status.dataset.state = name;
    this.status.textContent = words[name] ?? "";
  }

  #showProgress() {
    if (!this.progress) return;
    const { batch_done: done, batch_size: size, seconds_active: before } = this.progress;
    const working = this.desk && !this.desk.earlier;
    const seconds = before + (working ? this.activity.seconds : 0);
    const at = working && (!size || done < size) ? done + 1 : done;
    this.progressText.textContent = [size ? `${at} of ${size}` : `Text ${at}`, seconds >= 60 && spoken(seconds)].filter(Boolean).join(" · ");
    this.progressText.title = "Where you are in this batch, and how long you have worked";
  }

  #drawTools() {
    const tool = (words, key, does) => h("button", { type: "button", class: "quiet tool", onclick: does, "aria-keyshortcuts": key, title: `${words} (${key})` }, h("span", {}, words), " ", h("kbd", { "aria-hidden": "true" }, key));
    document.getElementById("tools").replaceChildren(
      tool("Instructions", "i", () => instructionsDialog(this.work.protocol)), tool("Earlier", "e", () => this.#earlier()), tool("Keys", "?", () => keysDialog()));
  }

  async #earlier() {
    try {
      const { assignments } = await this.api.earlier();
      earlierDialog(assignments, this.work.campaign.editing, (id) => (location.hash = `#earlier/${id}`));
    } catch (error) {
      this.desk?.tell(error instanceof Refused ? error.message : "The server cannot be reached just now.", [], "warn");
    }
  }

  #key(event) {
    if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]") || !this.work) return;
    if (this.desk?.key(event)) return event.preventDefault();
    if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
    const does = { "?": () => keysDialog(), i: () => instructionsDialog(this.work.protocol), F1: () => instructionsDialog(this.work.protocol), e: () => this.#earlier() }[event.key];
    if (!does || (takesText(event.target) && event.key !== "F1")) return undefined;
    event.preventDefault();
    return does();
  }
}

const config = JSON.parse(document.getElementById("config").textContent || "{}");
new WorkPage(document.getElementById("work"), config ?? {}).start();
