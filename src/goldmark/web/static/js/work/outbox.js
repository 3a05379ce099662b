// Submitted answers on their way. Each has a client key from the moment the button is pressed, is kept in this browser
// until the server has acknowledged it, and is sent again after every failure; the key makes a repetition harmless.
import { LANGUAGE } from "../language.js";
import { Refused, Unreachable } from "./api.js";
import { uuid } from "./local_store.js";

const LONGEST = 30; // seconds between two tries

/** @typedef {{answers: object, client_key: string, client_time: string, seconds_active: number, reply?: string}} Body */
/** @typedef {Body & {assignment: number}} Parcel */

export class Outbox {
  #sending = false;
  #wake = () => {};

  /**
   * @param {import("./api.js").Api} api
   * @param {import("./local_store.js").LocalStore} localStore
   * @param {{waiting: (seconds: number) => void}} page told that an answer is kept here and when it is tried again
   */
  constructor(api, localStore, page) {
    this.api = api;
    this.localStore = localStore;
    this.page = page;
    addEventListener("online", () => this.#wake());
  }

  /** @returns {Parcel[]} */
  get parcels() {
    return this.localStore.get("outbox") ?? [];
  }

  /** Put an answer into the box; a second press of the button before it is sent replaces the answer, not the key. */
  add(assignment, answers, seconds, reply = "") {
    const others = this.parcels.filter((parcel) => parcel.assignment !== assignment);
    const parcel = {
      assignment,
      answers,
      client_key: uuid(),
      client_time: new Date().toISOString(),
      seconds_active: seconds,
      ...(reply ? { reply } : {}),
      language: LANGUAGE, // in which it was asked, whenever it is sent
    };
    this.localStore.put("outbox", [...others, parcel]);
  }

  /** Try now instead of waiting. */
  hurry() {
    this.#wake();
  }

  /**
   * Send everything in the box, oldest first, for as long as it takes.
   * @returns {Promise<{reply: any, refused: {parcel: Parcel, error: Refused} | null}>} the server's last word
   */
  async empty() {
    if (this.#sending) throw new Error("the outbox is already being emptied");
    this.#sending = true;
    try {
      let reply = null;
      for (let failures = 0; this.parcels.length;) {
        const [parcel] = this.parcels;
        const { assignment, ...body } = parcel;
        try {
          reply = await this.api.submit(assignment, body);
          this.#remove(parcel);
          failures = 0;
        } catch (error) {
          if (error instanceof Refused) {
            this.#remove(parcel);
            return { reply: null, refused: { parcel, error } };
          }
          if (!(error instanceof Unreachable)) throw error;
          await this.#pause(Math.max(error.wait, Math.min(2 ** failures++, LONGEST)));
        }
      }
      return { reply, refused: null };
    } finally {
      this.#sending = false;
    }
  }

  #remove({ client_key: sent }) {
    const left = this.parcels.filter((parcel) => parcel.client_key !== sent);
    if (left.length) this.localStore.put("outbox", left);
    else this.localStore.drop("outbox");
  }

  #pause(seconds) {
    this.page.waiting(seconds);
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, seconds * 1000);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
