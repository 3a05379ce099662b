// How hard a new password is to guess, while it is typed. An advice: the server decides what it takes.

const LEVELS = ["easy to guess", "fair", "good", "strong"];
const FEWEST = [4, 8, 11]; // different characters that are left for the second, third and fourth level

/** What is left of a password without what everybody tries: words of the list, and rows such as 1234, aaaa or fed. */
function left(password, tried) {
  let rest = password.toLowerCase();
  for (const word of tried) rest = rest.replaceAll(word, " ");
  const letters = [...rest];
  const step = (at) => letters[at].codePointAt(0) - letters[at - 1].codePointAt(0);
  return letters.filter((one, at) => {
    const inRow = at > 1 && Math.abs(step(at)) <= 1 && step(at) === step(at - 1);
    return !inRow && !" .,-_!?#*+/".includes(one);
  });
}

/** A level from 0 to 4 (0: too short, or nothing), and the words for it. */
export function strength(password, { shortest, tried }) {
  const missing = shortest - [...password].length;
  if (!password) return { level: 0, words: "" };
  if (missing > 0) return { level: 0, words: `${missing} more character${missing === 1 ? "" : "s"}` };
  const different = new Set(left(password, tried)).size;
  const level = FEWEST.filter((least) => different >= least).length;
  return { level: level + 1, words: LEVELS[level] };
}

/** Beside every field for a new password. */
export function showStrength() {
  for (const shown of document.querySelectorAll("[data-strength-of]")) {
    const field = document.getElementById(shown.dataset.strengthOf);
    const [bar, words] = shown.children;
    const tried = shown.dataset.tried.split(" ").sort((one, other) => other.length - one.length);
    field.addEventListener("input", () => {
      const found = strength(field.value, { shortest: field.minLength, tried });
      shown.hidden = !field.value;
      bar.value = found.level;
      if (words.textContent !== found.words) words.textContent = found.words; // told once, not with every key
    });
  }
}
