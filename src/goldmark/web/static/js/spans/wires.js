// Thin curves from a mark to the passages linked to it, drawn behind the words while the mark is looked at.

const SVG = "http://www.w3.org/2000/svg";

/**
 * @param {HTMLElement} frame positioned element that holds text and drawing
 * @param {Array<{from: HTMLElement, to: HTMLElement, tone: number}>} wires
 */
export function drawWires(frame, wires) {
  let svg = frame.querySelector(":scope > svg.wires");
  if (!wires.length) {
    svg?.remove();
    return;
  }
  if (!svg) {
    svg = document.createElementNS(SVG, "svg");
    svg.classList.add("wires");
    svg.setAttribute("aria-hidden", "true");
    frame.prepend(svg);
  }
  const origin = frame.getBoundingClientRect();
  svg.replaceChildren(
    ...wires.map(({ from, to, tone }) => {
      const [one, other] = [from.getClientRects()[0], to.getClientRects()[0]];
      const path = document.createElementNS(SVG, "path");
      if (!one || !other) return path;
      const [x1, x2] = [one, other].map((box) => (box.left + box.right) / 2 - origin.left);
      const [y1, y2] = [one, other].map((box) => box.bottom - origin.top + 2);
      const sag = Math.max(y1, y2) + Math.min(14, 6 + Math.abs(x1 - x2) / 20);
      path.setAttribute("d", `M ${x1} ${y1} C ${x1} ${sag}, ${x2} ${sag}, ${x2} ${y2}`);
      path.dataset.tone = String(tone);
      return path;
    }),
  );
}
