// Parts of a page for which there was no room are brought in from their own pages, so that the whole can be searched and
// printed. Where that fails, the links to those pages are still there.

/** @param {(root: ParentNode) => void} prepare what to do with new parts */
export async function bringIn(prepare) {
  const found = new Map(); // what stands in the place of a part -> the part
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll("a[data-part]"))) {
    const place = link.closest("[id]");
    const part = await fetched(link.href, place.id);
    if (part) found.set(place, part);
  }
  if (!found.size) return;
  const linked = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const seen = linked && linked.getBoundingClientRect().top < innerHeight && linked.getBoundingClientRect().bottom > 0;
  for (const [place, part] of found) {
    prepare(part);
    place.replaceWith(part); // all at once: what moves, moves once, and pictures are fetched once
  }
  if (seen) document.getElementById(linked.id).scrollIntoView(); // what came in above has moved it
}

async function fetched(address, id) {
  try {
    const headers = { accept: "text/html", "goldmark-fragment": "inside" };
    const reply = await fetch(address, { headers, redirect: "error" });
    if (!reply.ok) return null;
    return new DOMParser().parseFromString(await reply.text(), "text/html").getElementById(id);
  } catch {
    return null;
  }
}
