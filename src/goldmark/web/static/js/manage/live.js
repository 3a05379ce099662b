// Parts marked `data-live` follow the campaign: the inside of the page is asked for again every few seconds, the server
// answers nothing while it is the same, and only parts that have changed are replaced. Nothing happens while the page is
// hidden, and trouble is met with patience. `live` says that nobody clicked: that keeps nobody signed in.

const EVERY = 5_000;
const LONGEST = 60_000;

/** @param {(root: ParentNode) => void} prepare what to do with new parts */
export function keepLive(prepare) {
  if (!document.querySelector("[data-live]")) return;
  const before = new Map(); // id -> the HTML the server last sent
  let pause = EVERY;
  let known = null; // what the server calls that which it last sent

  async function look() {
    if (document.visibilityState === "visible") {
      const began = performance.now();
      try {
        const headers = { accept: "text/html", "goldmark-fragment": "live", ...(known ? { "if-none-match": known } : {}) };
        const reply = await fetch(location.href, { headers, redirect: "error", cache: "no-store" });
        if (!reply.ok && reply.status !== 304) throw new Error(String(reply.status));
        if (reply.ok) replace(new DOMParser().parseFromString(await reply.text(), "text/html"));
        known = reply.headers.get("etag");
        pause = Math.max(EVERY, 20 * (performance.now() - began)); // a large campaign takes longer to count: ask less often
      } catch {
        pause = Math.min(pause * 2, LONGEST);
      }
    }
    setTimeout(look, pause);
  }

  function replace(fresh) {
    for (const part of document.querySelectorAll("[data-live]")) {
      const newer = fresh.getElementById(part.id);
      if (!newer || newer.innerHTML === before.get(part.id)) continue;
      if (before.has(part.id) || part.textContent !== newer.textContent) swap(part, newer);
      before.set(part.id, newer.innerHTML);
    }
  }

  function swap(part, newer) {
    const html = newer.innerHTML;
    const focused = part.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    before.set(part.id, html);
    part.replaceChildren(...newer.cloneNode(true).childNodes);
    prepare(part);
    if (focused) part.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
  }

  setTimeout(look, EVERY);
}
