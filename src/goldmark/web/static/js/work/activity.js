// Seconds spent on a unit, counted only while the page is visible and something happened within the last minute.
import { _ } from "../language.js";

const IDLE = 60_000;
const SIGNS = ["pointerdown", "pointermove", "keydown", "wheel", "scroll", "touchmove", "input"];

export class Activity {
  #seconds = 0;
  #lastSign;
  #countedTo;

  /**
   * @param {{now?: () => number, visible?: () => boolean}} [clock]
   */
  constructor({ now = () => performance.now(), visible = () => document.visibilityState === "visible" } = {}) {
    this.now = now;
    this.visible = visible;
    this.restart(0);
  }

  /** Start a unit that already took so many seconds. */
  restart(seconds) {
    this.#seconds = seconds;
    this.#lastSign = this.now();
    this.#countedTo = this.#lastSign;
  }

  /** Something happened: the time since the last sign counts, up to the idle limit. */
  sign() {
    this.#count();
    this.#lastSign = this.now();
  }

  /** Milliseconds since something last happened here. */
  get idle() {
    return this.now() - this.#lastSign;
  }

  /** The page was hidden or shown: nothing counts while it is hidden. */
  visibilityChanged() {
    if (this.visible()) this.restart(this.#seconds);
    else this.#count(true);
  }

  get seconds() {
    if (this.visible()) this.#count();
    return Math.round(this.#seconds * 10) / 10;
  }

  #count(hiding = false) {
    const until = Math.min(this.now(), this.#lastSign + IDLE);
    if ((hiding || this.visible()) && until > this.#countedTo) this.#seconds += (until - this.#countedTo) / 1000;
    this.#countedTo = Math.max(this.#countedTo, this.now());
  }

  /** Listen to the page. */
  watch() {
    let recent = 0;
    const sign = () => {
      if (this.now() - recent < 250) return;
      recent = this.now();
      this.sign();
    };
    for (const name of SIGNS) addEventListener(name, sign, { passive: true, capture: true });
    document.addEventListener("visibilitychange", () => this.visibilityChanged());
  }
}

/** "41 s", "3 min", "1 h 05 min". */
export function spoken(seconds) {
  if (seconds < 60) return _("{count} s", { count: Math.floor(seconds) });
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return _("{count} min", { count: minutes });
  const rest = String(minutes % 60).padStart(2, "0");
  return _("{hours} h {minutes} min", { hours: Math.floor(minutes / 60), minutes: rest });
}
