// Every key of the curator's workspace, for the listener and for the page of keys.
import { h, openDialog, takesText } from "../dom.js";
import { combined, readings } from "../keys.js";

export const KEYS = [
  ["j ↓", "next mark", ["j", "ArrowDown"], "next"],
  ["k ↑", "previous mark", ["k", "ArrowUp"], "previous"],
  ["Space", "next undecided mark", [" "], "undecided"],
  ["a", "accept it, or take in one that was left out", ["a"], "a"],
  ["d", "drop it", ["d"], "d"],
  ["e", "change its span: arrows move the end, with Shift the start", ["e"], "e"],
  ["Shift + letter", "change its category", [], ""],
  ["m", "merge it with the next", ["m"], "m"],
  ["s", "split it", ["s"], "s"],
  ["=", "another mark means the same", ["="], "="],
  ["c", "correction", ["c"], "c"],
  ["w", "comment: why it is wrong", ["w"], "w"],
  ["n", "note on it", ["n"], "n"],
  ["v", "what else is asked of it, such as severity", ["v"], "v"],
  ["l", "words that belong to it", ["l"], "l"],
  ["t", "note on the whole text", ["t"], "t"],
  ["+", "add a mark, at the selected words if there are any", ["+", "Insert"], "+"],
  ["r", "reason for the next step", ["r"], "r"],
  ["u", "undo the last step", ["u"], "u"],
  ["f", "finish the text", ["f"], "f"],
  ["o", "reopen a finished text", ["o"], "o"],
  ["[ ]", "previous and next text", ["[", "]"], "unit"],
  ["?", "all keys", ["?"], "?"],
];

const OFF = "goldmark.curation.keys-off";

/** Whether letters are commands; who dictates or uses a screen reader may switch them off. */
function lettersOff() {
  try {
    return localStorage.getItem(OFF) === "yes";
  } catch {
    return false;
  }
}

function switchLetters(off) {
  try {
    localStorage.setItem(OFF, off ? "yes" : "no");
  } catch {
    // forgotten at the next page
  }
}

const COMMANDS = new Map(KEYS.flatMap(([, , keys, command]) => keys.map((key) => [key, command])));

/**
 * @param {{mode: any, arrow: (by: number, shift: boolean) => void, labelKey: (key: string, inMode: boolean) => boolean,
 *   keep: () => void, leave: () => boolean, act: (command: string, key: string) => void}} workspace
 */
export function listen(workspace) {
  document.addEventListener("keydown", (event) => {
    if (combined(event) || document.querySelector("dialog[open]")) return;
    const { key } = event;
    const target = event.target instanceof Element ? event.target : null;
    if (takesText(target)) return;
    const elsewhere = target?.closest("a, summary, .scroller, header, nav");
    const button = target?.closest("button");
    if ((key === "Enter" || key === " ") && (elsewhere || (button && !button.matches(".entry-head")))) return;
    if (elsewhere && key.startsWith("Arrow")) return;
    if (readings(event).some((one) => handled(workspace, one, event.shiftKey))) event.preventDefault();
  });
}

const BY = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1, k: -1, j: 1 };

/** @returns {boolean} whether the key meant something */
function handled(workspace, key, shiftKey) {
  if (key === "Escape") return workspace.leave();
  if (lettersOff() && key.length === 1) return false;
  if (workspace.labelKey(key, Boolean(workspace.mode))) return true;
  if (workspace.mode && BY[key]) workspace.arrow(BY[key], shiftKey);
  else if (workspace.mode && key === "Enter") workspace.keep();
  else if (!workspace.mode && COMMANDS.has(key)) workspace.act(COMMANDS.get(key), key);
  else return false;
  return true;
}

export function showKeys() {
  const rows = KEYS.map(([shown, what]) =>
    h(
      "tr",
      {},
      h(
        "th",
        { scope: "row" },
        shown.split(" ").map((key) => (key === "+" && shown !== "+" ? " + " : h("kbd", {}, key))),
      ),
      h("td", {}, what),
    ),
  );
  const box = h("input", {
    type: "checkbox",
    checked: !lettersOff(),
    onchange: () => switchLetters(!(/** @type {HTMLInputElement} */ (box).checked)),
  });
  const switching = h("label", { class: "row" }, box, "Keys that are a single character work");
  openDialog("All keys", switching, h("table", { class: "keys" }, h("tbody", {}, rows)));
}
