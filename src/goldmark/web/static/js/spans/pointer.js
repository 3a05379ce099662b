// Mouse, pen and touch on a text. A mouse marks by clicking or dragging; a finger taps the first and the last word, so
// that swiping still scrolls; both can drag the two handles at the ends of a selection.

/** @param {EventTarget | null} target @returns {number | null} the atom of a word, or of the gap after one */
function atomAt(target) {
  if (!(target instanceof Element)) return null;
  const word = target.closest(".w") ?? target.closest(".g")?.nextElementSibling;
  return word instanceof HTMLElement && word.dataset.i ? Number(word.dataset.i) : null;
}

/** The atom under a point, or the nearest one in the same line if the point is in the margin. */
function atomNear(box, x, y) {
  const direct = atomAt(document.elementFromPoint(x, y));
  if (direct !== null) return direct;
  const { left, right } = box.getBoundingClientRect();
  for (let away = 8; away < 96; away += 8) {
    for (const at of [x - away, x + away]) {
      if (at < left || at > right) continue;
      const found = atomAt(document.elementFromPoint(at, y));
      if (found !== null) return found;
    }
  }
  return null;
}

/**
 * @param {HTMLElement} box the text
 * @param {object} spans
 * @param {(atom: number, how: {extend: boolean, touch: boolean}) => void} spans.tap
 * @param {(anchor: number, caret: number, done: boolean) => void} spans.drag
 * @param {() => import("./atoms.js").Range | null} spans.handled the range that has handles
 * @param {(range: import("./atoms.js").Range, done: boolean) => void} spans.reshape
 * @param {(atom: number | null) => void} spans.hover
 */
export function listenToPointer(box, spans) {
  let anchor = null;
  let moved = false;
  let handle = null; // {side}
  let pointer = ""; // older browsers do not say with a click what made it

  box.addEventListener("pointerdown", (event) => {
    pointer = event.pointerType;
    if (event.button !== 0) return;
    const grip = event.target instanceof Element && event.target.closest(".handle");
    if (grip instanceof HTMLElement) {
      handle = { side: grip.dataset.side };
      grip.setPointerCapture(event.pointerId);
      event.preventDefault();
      return;
    }
    const atom = atomAt(event.target);
    if (atom === null || event.pointerType === "touch") return;
    event.preventDefault(); // no native selection, which would cover the marks
    if (event.shiftKey) return spans.tap(atom, { extend: true, touch: false });
    [anchor, moved] = [atom, false];
    box.setPointerCapture(event.pointerId);
  });

  box.addEventListener("pointermove", (event) => {
    if (handle) return reshape(event, false);
    if (anchor === null) {
      if (event.pointerType === "mouse" && event.buttons === 0) spans.hover(atomAt(event.target));
      return;
    }
    const atom = atomNear(box, event.clientX, event.clientY);
    if (atom === null || (!moved && atom === anchor)) return;
    moved = true;
    spans.drag(anchor, atom, false);
  });

  box.addEventListener("pointerup", (event) => {
    if (handle) {
      reshape(event, true);
      handle = null;
      return;
    }
    if (anchor === null) return;
    const from = anchor;
    anchor = null;
    const atom = atomNear(box, event.clientX, event.clientY) ?? from;
    if (moved) spans.drag(from, atom, true);
    else spans.tap(from, { extend: false, touch: false });
  });

  box.addEventListener("pointercancel", () => ([anchor, handle] = [null, null]));
  box.addEventListener("pointerleave", () => anchor === null && spans.hover(null));

  // A tap arrives as a click, which the browser sends only if the finger did not scroll.
  box.addEventListener("click", (event) => {
    if (/** @type {PointerEvent} */ (event.pointerType || pointer) !== "touch") return;
    const atom = atomAt(event.target);
    if (atom !== null) spans.tap(atom, { extend: false, touch: true });
  });

  function reshape(event, done) {
    const range = spans.handled();
    const atom = atomNear(box, event.clientX, event.clientY - 14); // the grip hangs below its word
    if (!range) return;
    if (atom === null) return done ? spans.reshape(range, true) : undefined;
    const next =
      handle.side === "start"
        ? { start: Math.min(atom, range.end - 1), end: range.end }
        : { start: range.start, end: Math.max(atom + 1, range.start + 1) };
    spans.reshape(next, done);
  }
}
