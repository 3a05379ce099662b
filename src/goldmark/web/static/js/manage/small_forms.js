// Small forms that open beneath their button: one at a time, whole on the screen, and closed by Escape.

const EDGE = 8; // pixels that stay free around a box

/** Put the box of an open one beneath its button, or above it, wherever that stands and whatever scrolls around it. */
function place(act) {
  const box = act.querySelector(":scope > form");
  box.style.cssText = "";
  if (getComputedStyle(box).position === "static") return; // it stands in the page itself
  const button = act.getBoundingClientRect();
  const { clientWidth: width, clientHeight: height } = document.documentElement;
  box.style.position = "fixed";
  box.style.maxHeight = `${height - 2 * EDGE}px`;
  box.style.overflow = "auto";
  const { offsetWidth: wide, offsetHeight: high } = box;
  const rightToLeft = getComputedStyle(act).direction === "rtl";
  const [first, second] = [button.right - wide, button.left]; // its right edge beneath the button's, or its left edge
  const left = rightToLeft || first < EDGE ? second : first;
  const below = button.bottom + 4;
  const above = button.top - 4 - high;
  const top = below + high > height - EDGE && above >= EDGE ? above : below;
  const within = (value, size, whole) => Math.max(EDGE, Math.min(value, whole - size - EDGE));
  box.style.inset = `${within(top, high, height)}px auto auto ${within(left, wide, width)}px`;
}

const opened = () => document.querySelector("details.act[open]");

/** They share a name, so that the browser closes one when another opens. */
export function openSmallForms() {
  document.addEventListener("toggle", (event) => {
    if (!(event.target instanceof HTMLDetailsElement) || !event.target.matches(".act")) return;
    if (!event.target.open) {
      event.target.querySelector(":scope > form").style.cssText = ""; // where it stood is no place for the next time
      return;
    }
    place(event.target);
    event.target.querySelector("input:not([type=hidden]), select")?.focus();
  }, true);
  const again = () => {
    const act = opened();
    if (act) place(act);
  };
  addEventListener("resize", again);
  addEventListener("scroll", again, { capture: true, passive: true });
  document.addEventListener("keydown", (event) => {
    const act = event.key === "Escape" && opened();
    if (!act) return;
    act.open = false;
    act.querySelector("summary").focus(); // where it was before
  });
}
