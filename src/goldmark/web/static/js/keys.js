// What a key means, whatever the keyboard's layout. A label's key is a Latin letter: where the layout has none on that
// key (Cyrillic, Greek, Arabic, Hebrew) its position counts, as printed on most such keyboards. AZERTY and QWERTZ have
// Latin letters, so what is printed on a key counts there; the row of digits gives digits also where it needs Shift.

const SIGNS = { BracketLeft: "[{", BracketRight: "]}", Slash: "/?", Equal: "=+" };
const LETTER = /^[a-z]$/iu;
const LATIN = /^[\x20-\x7e]$/u;

/** With AltGr people type what their keyboard has no key for, such as [ and ]. @param {KeyboardEvent} event */
export const combined = (event) =>
  event.metaKey || ((event.ctrlKey || event.altKey) && !event.getModifierState?.("AltGraph"));

/** The key at this place of a keyboard with Latin letters, or nothing. */
function placed({ code = "", shiftKey }) {
  const letter = /^Key([A-Z])$/u.exec(code)?.[1].toLowerCase();
  if (letter) return shiftKey ? letter.toUpperCase() : letter;
  return SIGNS[code]?.[shiftKey ? 1 : 0] ?? "";
}

/**
 * What a key may mean, the likeliest first; the first that means something counts.
 * @param {KeyboardEvent} event
 * @returns {string[]}
 */
export function readings(event) {
  const { key, code = "" } = event;
  if (key.length > 1 && key !== "Dead") return [key];
  const digit = !event.shiftKey && /^(?:Digit|Numpad)(\d)$/u.exec(code)?.[1];
  const place = LETTER.test(key) || (LATIN.test(key) && !code.startsWith("Key")) ? "" : placed(event);
  return [...new Set([digit, key, place])].filter((one) => one && one !== "Dead");
}

/** Whether a key with Ctrl or Command is this letter. @param {KeyboardEvent} event @param {string} letter */
export const isLetter = (event, letter) => readings(event).some((one) => one.toLowerCase() === letter);
