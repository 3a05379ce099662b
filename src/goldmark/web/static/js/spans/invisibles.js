// Characters that cannot be seen but change what is seen (direction overrides, zero-width spaces, controls) are shown
// as small named boxes, so that a generated text cannot mislead its reader. Joiners that a script or an emoji needs
// stay.
import { _ } from "../language.js";

const NAMES = {
  0x00ad: _("soft hyphen"),
  0x034f: _("grapheme joiner"),
  0x061c: "ALM",
  0x115f: _("filler"),
  0x1160: _("filler"),
  0x180e: "MVS",
  0x200b: _("zero-width space"),
  0x200c: "ZWNJ",
  0x200d: "ZWJ",
  0x200e: "LRM",
  0x200f: "RLM",
  0x2028: _("line separator"),
  0x2029: _("paragraph separator"),
  0x202a: "LRE",
  0x202b: "RLE",
  0x202c: "PDF",
  0x202d: "LRO",
  0x202e: "RLO",
  0x2060: _("word joiner"),
  0x2061: _("invisible"),
  0x2062: _("invisible"),
  0x2063: _("invisible"),
  0x2064: _("invisible"),
  0x2066: "LRI",
  0x2067: "RLI",
  0x2068: "FSI",
  0x2069: "PDI",
  0x3164: _("filler"),
  0xfeff: "BOM",
  0xffa0: _("filler"),
};
const SUSPECT = new RegExp(
  "[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u180e" +
    "\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}]",
  "u",
);
const JOINERS = new Set([0x200c, 0x200d]);
const SCRIPTS =
  "Arabic Syriac Mongolian Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer " +
  "Myanmar";
const JOINED = new RegExp(
  `[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f\\p{Mn}${SCRIPTS.replace(/(\w+) ?/gu, "\\p{Script=$1}")}]`,
  "u",
);

const codePoint = (character) => `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;

/** The name on the box for a character, or nothing if the character may stay as it is. */
export function boxed(character, before, after) {
  const point = character.codePointAt(0);
  if (!SUSPECT.test(character)) return null;
  if (JOINERS.has(point) && JOINED.test(before) && JOINED.test(after)) return null;
  return NAMES[point] ?? codePoint(character);
}

/**
 * Append text to an element, with a box for each character that could mislead.
 * @param {Element} element
 * @param {string} text
 */
export function appendVisibly(element, text) {
  if (!SUSPECT.test(text)) {
    element.append(text);
    return;
  }
  const characters = [...text];
  let plain = "";
  characters.forEach((character, index) => {
    const name = boxed(character, characters[index - 1] ?? "", characters[index + 1] ?? "");
    if (name === null) {
      plain += character;
      return;
    }
    if (plain) element.append(plain);
    plain = "";
    const box = document.createElement("bdi");
    box.className = _("invisible");
    box.title = _("Invisible character: {name} ({code})", { name, code: codePoint(character) });
    box.textContent = name;
    element.append(box);
  });
  if (plain) element.append(plain);
}
