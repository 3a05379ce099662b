// The two grips at the ends of a selection or of the current mark, for fingers and mice.

export function handles() {
  return ["start", "end"].map((side) => {
    const handle = document.createElement("span");
    handle.className = "handle";
    handle.dataset.side = side;
    handle.hidden = true;
    handle.setAttribute("aria-hidden", "true");
    return handle;
  });
}

/**
 * Hang the grips below the first and the last word of a range, or hide them.
 * @param {HTMLElement} box
 * @param {import("./atoms.js").Range | null} range
 * @param {HTMLElement[]} words
 */
export function placeHandles(box, range, words) {
  for (const handle of /** @type {NodeListOf<HTMLElement>} */ (box.querySelectorAll(":scope > .handle"))) {
    const isStart = handle.dataset.side === "start";
    const word = range && words[isStart ? range.start : range.end - 1];
    const places = word?.getClientRects() ?? [];
    handle.hidden = places.length === 0;
    if (handle.hidden) continue;
    const [origin, place] = [box.getBoundingClientRect(), places[isStart ? 0 : places.length - 1]];
    const rightToLeft = getComputedStyle(word.closest(".line")).direction === "rtl";
    handle.style.left = `${(isStart === rightToLeft ? place.right : place.left) - origin.left}px`;
    handle.style.top = `${place.bottom - origin.top}px`;
  }
}
