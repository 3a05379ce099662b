// What this browser keeps for one annotator: drafts and answers that wait to be sent. Where storage is forbidden (some
// frames, some private windows) it lives in memory until the page is closed.

export class LocalStore {
  #memory;

  /**
   * @param {string} owner the annotator's token; only a fingerprint of it becomes part of the keys
   * @param {{forgets?: boolean, has?: Record<string, any>}} [how] `forgets`: nothing outlives the page; `has`: to begin with
   */
  constructor(owner, { forgets = false, has = {} } = {}) {
    this.#memory = new Map(Object.entries(has));
    this.prefix = `goldmark:${fingerprint(owner)}:`;
    this.forgets = forgets;
  }

  /** @param {string} name @returns {any} nothing if there is nothing that can be read */
  get(name) {
    try {
      const found = localStorage.getItem(this.prefix + name);
      if (found !== null) return JSON.parse(found);
    } catch {
      // unreadable or forbidden: what this page itself put aside is still there
    }
    return this.#memory.get(name) ?? null;
  }

  /** @param {string} name @param {any} value @returns {boolean} whether it will outlive the page */
  put(name, value) {
    this.#memory.set(name, value);
    if (this.forgets) return false;
    try {
      localStorage.setItem(this.prefix + name, JSON.stringify(value));
      return true;
    } catch {
      return false;
    }
  }

  /** @param {string} name */
  drop(name) {
    this.#memory.delete(name);
    try {
      localStorage.removeItem(this.prefix + name);
    } catch {
      // there was nothing to forget
    }
  }
}

/** A short stable name for a token (FNV-1a, two halves); it keeps annotators on one browser apart, it hides nothing. */
function fingerprint(text) {
  let [one, other] = [0x811c9dc5, 0x1000193];
  for (let at = 0; at < text.length; at += 1) {
    one = Math.imul(one ^ text.charCodeAt(at), 0x01000193) >>> 0;
    other = Math.imul(other ^ text.charCodeAt(text.length - 1 - at), 0x85ebca6b) >>> 0;
  }
  return one.toString(36) + other.toString(36);
}

/** A random id, also where the page has no secure origin and crypto.randomUUID is missing. */
export function uuid() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
