// The annotator's page: decides what is shown (consent, instructions, work, thanks) and keeps drafts and answers safe.
import { announce, takesText } from "./dom.js";
import { _ } from "./language.js";
import { combined } from "./keys.js";
import { Activity } from "./work/activity.js";
import { Api, Refused, Unreachable } from "./work/api.js";
import { UnitPage } from "./work/unit_page.js";
import { earlierDialog, instructionsDialog, keysDialog, tellNotices, trainingDialog } from "./work/dialogs.js";
import { Drafts } from "./work/drafts.js";
import { Frame } from "./work/frame.js";
import { learns, Lessons } from "./work/lessons.js";
import { tellEarlier, tellElsewhere, tellInTwoTabs, tellLapsed, tellOvertaken, tellRestored, tellSent } from "./work/offers.js";
import { Outbox } from "./work/outbox.js";
import { Presence } from "./work/presence.js";
import { PreviewApi } from "./work/preview.js";
import { LocalStore } from "./work/local_store.js";
import { Tabs } from "./work/tabs.js";
import * as views from "./work/views.js";

class WorkPage {
  /** @type {UnitPage | null} */ unitPage = null;
  next = null; // the server's last word on what to do next
  restoring = false; // what is put on the page now is on the server already
  constructor(root, config) {
    const token = config.token ?? root.dataset.token;
    this.frame = new Frame(root);
    this.api = config.preview ? new PreviewApi(config.preview) : new Api(config.api ?? "/api/v1", token);
    this.leave = config.leave ?? null; // where somebody from a crowd platform hands in
    this.localStore = new LocalStore(token, config.preview ? { forgets: true, has: { instructed: true } } : {});
    this.tabs = new Tabs(config.preview ? "" : this.localStore.prefix, {
      also: () => this.unitPage && tellInTwoTabs(this.unitPage),
      done: () => this.#lookAgain(),
    });
    this.activity = new Activity();
    this.activity.watch();
    if (!config.preview) new Presence(this.api, this.activity, () => this.unitPage).watch();
    this.outbox = new Outbox(this.api, this.localStore, { waiting: (seconds) => this.#waiting(seconds) });
    this.drafts = new Drafts(this.api, this.localStore, {
      state: (name, at) => this.frame.status(name, at),
      conflict: (draft) => this.unitPage && tellOvertaken(this.unitPage, draft),
      seconds: () => this.activity.seconds,
    });
    document.addEventListener("keydown", (event) => this.#key(event));
    document.addEventListener("visibilitychange", () => document.hidden || this.#lookAgain());
    addEventListener("hashchange", () => this.#route());
    setInterval(() => this.#showProgress(), 15_000);
  }

  async start() {
    try {
      if (this.outbox.parcels.length) await this.#flush();
      this.work = await this.api.work();
      this.frame.tools(this.#tools());
      await this.#begin();
    } catch (error) {
      this.#trouble(error, () => this.start());
    }
  }

  #begin() {
    const { campaign, annotator, protocol, progress } = this.work;
    if (campaign.consent_html && !annotator.consented)
      return this.#show(views.consentView(campaign, () => this.#consent()));
    if (this.localStore.get("instructed") || !protocol.instructions_html) return this.#goOn();
    const read = () => {
      this.localStore.put("instructed", true);
      this.#goOn();
    };
    return this.#show(views.instructionsView(protocol, read, progress.done > 0));
  }

  async #consent() {
    try {
      this.work = await this.api.consent();
      await this.#begin();
    } catch (error) {
      this.#trouble(error, () => this.start());
    }
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
    this.progress = this.next.progress;
    tellNotices(this.next.notices, (id) => this.api.readNotice(id));
    this.frame.tools(this.#tools());
    if (earlier) {
      try {
        this.#openUnit(await this.api.assignment(Number(earlier[1])), true);
      } catch (error) {
        this.#trouble(error, () => this.#backToWork());
      }
    } else if (this.next.assignment) this.#openUnit(this.next.assignment, false);
    else if (learns(this.next.finished)) this.#lessons().open();
    else this.#finish();
  }

  #finish() {
    this.drafts.close({ forget: false });
    this.frame.status("");
    const deeds = {
      another: () => this.#goOn(() => this.api.anotherBatch()),
      again: () => this.#goOn(),
      earlier: () => this.#earlier(),
    };
    this.#show(views.thanksView(this.next.finished, this.next.progress, deeds, this.leave));
  }

  #lessons() {
    this.drafts.close({ forget: false });
    return new Lessons(this.api, this.localStore, this.activity, this.frame, {
      protocol: this.work.protocol,
      leave: this.leave,
      show: (view, unitPage = null) => {
        this.#show(view);
        this.unitPage = unitPage;
      },
      work: () => this.#goOn(),
      trouble: (error, again) => this.#trouble(error, again),
    });
  }

  #openUnit(assignment, earlier) {
    if (this.unitPage) this.drafts.close({ forget: false });
    const found = assignment.locked ? null : this.drafts.open(assignment);
    const reached = this.localStore.get(`locked:${assignment.id}`) ?? 0;
    this.activity.restart(found?.seconds ?? 0);
    const page = {
      changed: (answers) => this.restoring || this.drafts.changed(answers),
      submit: (answers) => this.#submit(answers),
      leave: () => this.#backToWork(),
      locked: (steps) => this.localStore.put(`locked:${assignment.id}`, steps),
      kept: this.localStore,
    };
    const unitPage = new UnitPage(this.work.protocol, assignment, page, {
      earlier,
      editing: this.work.campaign.editing,
      reached,
    });
    this.#show(unitPage.element);
    this.unitPage = unitPage;
    this.frame.status("");
    this.#showProgress();
    if (earlier) tellEarlier(unitPage);
    if (found) this.#restore(found.from === "server" && !found.other, () => tellRestored(unitPage, found));
    if (assignment.state === "lapsed") tellLapsed(unitPage);
    this.tabs.open(assignment.id);
    unitPage.begin();
    announce(views.whereWords(this.progress, unitPage));
  }

  /** Put a draft on the page; if the server has it already, it need not be saved again. */
  #restore(known, put) {
    this.restoring = known;
    put();
    this.restoring = false;
  }

  /** Back at this page, or another tab has finished the text: what was done elsewhere counts here. */
  async #lookAgain() {
    const { unitPage } = this;
    if (!unitPage || unitPage.busy || unitPage.earlier || unitPage.lesson) return;
    const now = await this.api.assignment(unitPage.assignment.id).catch(() => null);
    if (!now || unitPage !== this.unitPage || unitPage.busy) return;
    if (now.revision > unitPage.assignment.revision) {
      this.drafts.close({ forget: true });
      await this.#goOn();
      return;
    }
    const draft = this.drafts.overtakenBy(now.draft);
    if (draft) this.#restore(true, () => tellElsewhere(unitPage, draft));
  }

  #backToWork() {
    history.replaceState(null, "", location.pathname + location.search);
    this.#goOn();
  }

  async #submit(answers) {
    const { unitPage } = this;
    this.drafts.hold();
    unitPage.sending = true;
    this.frame.status("sending");
    this.outbox.add(unitPage.assignment.id, answers, this.activity.seconds, unitPage.returned?.reply);
    try {
      await this.#flush();
    } catch (error) {
      unitPage.sending = false;
      this.#trouble(error, () => this.start());
    }
  }

  /** Send what waits; then go on with what the server gives next. */
  async #flush() {
    const { reply, refused } = await this.outbox.empty();
    const { unitPage } = this;
    unitPage?.trouble.replaceChildren();
    if (refused) return this.#refused(refused);
    if (!unitPage) return this.localStore.drop(`draft:${reply.accepted.assignment}`);
    this.drafts.close({ forget: true });
    this.tabs.done();
    for (const name of ["locked", "reply"]) this.localStore.drop(`${name}:${unitPage.assignment.id}`);
    this.next = reply.next;
    this.unitPage = null;
    announce(_("Saved"));
    if (unitPage.earlier) this.#backToWork();
    else {
      await this.#route();
      this.frame.status("sent");
      if (unitPage.quick && this.unitPage && this.work.campaign.editing) tellSent(this.unitPage, unitPage.assignment.id);
    }
  }

  #refused({ parcel, error }) {
    if (this.unitPage?.assignment.id === parcel.assignment) {
      this.unitPage.sending = false;
      this.frame.status("");
      this.unitPage.refused(error);
      return;
    }
    // Sent after a reload: give it back as a draft, so that it is offered where it can be mended.
    const { assignment, answers, client_time: at, seconds_active: seconds } = parcel;
    this.localStore.put(`draft:${assignment}`, { answers, at, seconds, version: Number.MAX_SAFE_INTEGER, unsaved: true });
  }

  #waiting(seconds) {
    const hurry = () => this.outbox.hurry();
    this.frame.status("queued");
    if (this.unitPage) this.unitPage.trouble.replaceChildren(views.waitingNotice(seconds, hurry));
    else this.#show(views.waitingView(hurry));
  }

  #show(view) {
    if (this.unitPage && view !== this.unitPage.element) this.unitPage = null;
    this.frame.show(view);
  }

  #trouble(error, again) {
    this.#show(views.failureView(error, again));
    if (!(error instanceof Refused || error instanceof Unreachable)) throw error;
  }

  #showProgress() {
    if (!this.progress || this.unitPage?.lesson || learns(this.next?.finished)) return;
    const working = this.unitPage !== null && !this.unitPage.earlier;
    const seconds = this.progress.seconds_active + (working ? this.activity.seconds : 0);
    // What was returned is one of those that were done.
    this.frame.progress(this.progress, working && !this.unitPage.returned, seconds, this.work.campaign.units);
  }

  #tools() {
    const train = { words: _("Training"), key: "t", does: () => trainingDialog(() => this.#lessons().again()) };
    return [
      { words: _("Instructions"), key: "i", does: () => instructionsDialog(this.work.protocol) },
      { words: _("Earlier"), key: "e", does: () => this.#earlier() },
      { words: _("Keys"), key: "?", does: () => keysDialog() },
      ...(this.work.training && this.next && !learns(this.next.finished) ? [train] : []),
    ];
  }

  async #earlier() {
    try {
      const { assignments } = await this.api.earlier();
      earlierDialog(assignments, this.work.campaign.editing, (id) => (location.hash = `#earlier/${id}`));
    } catch (error) {
      this.unitPage?.tell(error instanceof Refused ? error.message : _("The server cannot be reached just now."), [], "warn");
    }
  }

  #key(event) {
    if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]") || !this.work) return;
    if (this.unitPage?.key(event)) {
      event.preventDefault();
      return;
    }
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter" && this.frame.goOn()) return event.preventDefault();
    if (combined(event) || (takesText(event.target) && event.key !== "F1")) return;
    const tool = this.frame.toolOf(event);
    if (!tool) return;
    event.preventDefault();
    tool.does();
  }
}

const config = JSON.parse(document.getElementById("config").textContent || "{}");
new WorkPage(document.getElementById("work"), config ?? {}).start();
