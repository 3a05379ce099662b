// The annotator's JSON API. A failed request is either Unreachable (try again later) or Refused (the server said no).
import { _, LANGUAGE } from "../language.js";

/** No answer came, or the server could not give one just now. */
export class Unreachable extends Error {
  /** @param {string} message @param {number} wait seconds that the server asked us to wait */
  constructor(message, wait = 0) {
    super(message);
    this.wait = wait;
  }
}

/** The server answered that it will not do this; asking again would change nothing. */
export class Refused extends Error {
  /** @param {number} status @param {{code?: string, message?: string, problems?: Array<object>}} body */
  constructor(status, body) {
    super(body.message ?? _("The server refused this ({status}).", { status }));
    this.status = status;
    this.body = body;
    this.code = body.code ?? "";
    this.problems = body.problems ?? [];
  }
}

export class Api {
  /** @param {string} base such as "/api/v1" @param {string} token */
  constructor(base, token) {
    this.base = base;
    this.token = token;
  }

  work() {
    return this.#ask("GET", "/work");
  }

  consent() {
    return this.#ask("POST", "/work/consent", {});
  }

  next() {
    return this.#ask("POST", "/work/next", {});
  }

  anotherBatch() {
    return this.#ask("POST", "/work/batch", {});
  }

  earlier() {
    return this.#ask("GET", "/work/assignments");
  }

  /** @param {number} id */
  assignment(id) {
    return this.#ask("GET", `/work/assignments/${id}`);
  }

  /** @param {number} id @param {object} body @param {boolean} [leaving] the page is being closed */
  saveDraft(id, body, leaving = false) {
    return this.#ask("PUT", `/work/assignments/${id}/draft`, body, leaving);
  }

  /** @param {number} id @param {object} body */
  submit(id, body) {
    return this.#ask("POST", `/work/assignments/${id}/responses`, body);
  }

  /** Somebody is at the page: their text and their place are kept. */
  here() {
    return this.#ask("POST", "/work/here", {});
  }

  /** @param {number} id */
  readNotice(id) {
    return this.#ask("POST", `/work/notices/${id}/read`, {});
  }

  lesson() {
    return this.#ask("POST", "/work/lesson", {});
  }

  /** @param {object} body */
  lessonAnswer(body) {
    return this.#ask("POST", "/work/lesson/answers", body);
  }

  lessonAgain() {
    return this.#ask("POST", "/work/lesson/again", {});
  }

  lessonLeave() {
    return this.#ask("POST", "/work/lesson/leave", {});
  }

  async #ask(method, path, body, keepalive = false) {
    let response;
    try {
      response = await fetch(this.base + path, {
        method,
        headers: {
          Authorization: `Bearer ${this.token}`,
          "Accept-Language": LANGUAGE,
          ...(body ? { "Content-Type": "application/json" } : {}),
        },
        body: body ? JSON.stringify(body) : undefined,
        signal: AbortSignal.timeout(30_000),
        credentials: "omit",
        cache: "no-store",
        keepalive,
      });
    } catch (error) {
      throw new Unreachable(String(error));
    }
    const reply = await response.json().catch(() => null);
    if (response.ok && reply !== null) return reply;
    if (response.status >= 500 || response.status === 429 || response.status === 408 || response.ok)
      throw new Unreachable(
        _("The server answered {status}.", { status: response.status }),
        Number(response.headers.get("Retry-After")) || 0,
      );
    throw new Refused(response.status, reply ?? {});
  }
}
