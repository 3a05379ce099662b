// A bar between two parts of the page that is moved by pointer or arrow keys; where it was left is remembered.
import { h } from "../dom.js";

const LEAST = 20;
const MOST = 80;
const STEP = 4;

/**
 * @param {string} name of the share it sets, as the CSS variable `--name` in per cent of the parent, and in memory
 * @param {string} label @param {number} usual @param {boolean} [fromEnd] whether the share is that of what comes after it
 */
export function divider(name, label, usual, fromEnd = false) {
  const bar = h("div", { class: `divider ${name}`, role: "separator", tabindex: "0", "aria-label": label });
  bar.setAttribute("aria-valuemin", String(LEAST));
  bar.setAttribute("aria-valuemax", String(MOST));
  let share = Number(localStorage.getItem(`goldmark-${name}`)) || usual;

  const show = (value) => {
    share = Math.min(MOST, Math.max(LEAST, Math.round(value)));
    bar.setAttribute("aria-valuenow", String(share));
    document.documentElement.style.setProperty(`--${name}`, `${share}%`);
  };
  // Only what somebody chose is remembered: what is usual differs from text to text.
  const set = (value) => {
    show(value);
    localStorage.setItem(`goldmark-${name}`, String(share));
  };
  const parent = () => /** @type {HTMLElement} */ (bar.parentElement);
  const stacked = () => getComputedStyle(parent()).flexDirection === "column";
  const turn = () => bar.setAttribute("aria-orientation", stacked() ? "horizontal" : "vertical");

  bar.addEventListener("pointerdown", (event) => {
    bar.setPointerCapture(event.pointerId);
    event.preventDefault();
    bar.focus();
  });
  bar.addEventListener("pointermove", (event) => {
    if (!bar.hasPointerCapture(event.pointerId)) return;
    const box = parent().getBoundingClientRect();
    const across = (event.clientX - box.left) / box.width;
    const before = stacked() ? (event.clientY - box.top) / box.height : rightToLeft() ? 1 - across : across;
    set(100 * (fromEnd ? 1 - before : before));
  });
  bar.addEventListener("dblclick", () => set(usual));
  bar.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (!way) return;
    event.preventDefault();
    event.stopPropagation(); // the same keys move marks
    set(share + way * STEP * (fromEnd ? -1 : 1));
  });
  bar.addEventListener("focus", turn);
  addEventListener("resize", turn);
  requestAnimationFrame(turn);
  show(share);
  return bar;
}

const rightToLeft = () => getComputedStyle(document.documentElement).direction === "rtl";
