// A protocol tried out: the real page, with an answer that goes nowhere.

const PROGRESS = { done: 0, batch_size: 1, batch_done: 0, left_in_batch: 1, seconds_active: 0 };

/** Answers as the server would; nothing is kept. */
export class PreviewApi {
  #version = 0;

  /** @param {{unit: any, campaign: any, annotator: any, protocol: any}} preview */
  constructor({ unit, ...work }) {
    this.unit = unit;
    this.told = { ...work, progress: PROGRESS };
    if (parent !== window) keepStill();
  }

  async work() {
    return this.told;
  }

  async next() {
    return { assignment: await this.assignment(), progress: PROGRESS, finished: null, notices: [] };
  }

  anotherBatch() {
    return this.next();
  }

  async assignment() {
    const { unit } = this;
    return { id: 1, state: "active", unit, answers: null, revision: 0, draft: null, locked: false, returned: null };
  }

  async earlier() {
    return { assignments: [] };
  }

  async saveDraft() {
    this.#version += 1;
    return { version: this.#version, saved_at: new Date().toISOString() };
  }

  async submit() {
    const finished = { why: "preview", code: null, another: true };
    const next = { assignment: null, progress: { ...PROGRESS, done: 0 }, finished, notices: [] };
    return { accepted: { assignment: 1, revision: 1 }, next };
  }
}

/** In a frame the page takes the focus only once somebody uses it: until then it belongs to who writes the protocol. */
function keepStill() {
  const { focus } = HTMLElement.prototype;
  HTMLElement.prototype.focus = () => {};
  for (const sign of ["pointerdown", "keydown"])
    addEventListener(sign, () => (HTMLElement.prototype.focus = focus), { once: true, capture: true });
}
