// Conditions between questions, read exactly as the server reads them (goldmark/protocols/conditions.py).

/** @typedef {Array<any>} Tree nested lists such as ["==", ["answer", "verdict"], ["value", "fine"]] */
/** @typedef {Record<string, any>} Answers */
/** @typedef {Record<string, Record<string, number>>} Numbers question -> option -> the number it carries */

const ORDERED = {
  "<": (left, right) => left < right,
  "<=": (left, right) => left <= right,
  ">": (left, right) => left > right,
  ">=": (left, right) => left >= right,
};

const isNumber = (value) => typeof value === "number";
const equal = (left, right) =>
  (isNumber(left) && isNumber(right) && left === right) ||
  (typeof left === "string" && typeof right === "string" && left === right);

/** Whether there is an answer: not nothing, not an empty list, not blank text. */
export function answered(value) {
  if (typeof value === "string") return value.trim() !== "";
  if (Array.isArray(value)) return value.length > 0;
  return value !== null && value !== undefined;
}

const READERS = {
  value: (name) => name,
  answer: (name, answers) => own(answers, name),
  count: (name, answers) => {
    const answer = own(answers, name);
    return Array.isArray(answer) ? answer.length : 0;
  },
  number: (name, answers, numbers) => {
    const answer = own(answers, name);
    return typeof answer === "string" ? own(own(numbers, name) ?? {}, answer) : undefined;
  },
};

const TESTS = {
  and: (tree, ...facts) => holds(tree[1], ...facts) && holds(tree[2], ...facts),
  or: (tree, ...facts) => holds(tree[1], ...facts) || holds(tree[2], ...facts),
  not: (tree, ...facts) => !holds(tree[1], ...facts),
  answered: (tree, answers) => answered(own(answers, tree[1])),
};

/**
 * Evaluate a tree. A comparison with a question that has no answer is false, whatever the comparison.
 * @param {Tree | null | undefined} tree nothing means "always"
 * @param {Answers} answers
 * @param {Numbers} numbers
 * @returns {boolean}
 */
export function holds(tree, answers, numbers = {}) {
  if (!tree) return true;
  const test = own(TESTS, tree[0]);
  if (test) return test(tree, answers, numbers);
  const left = read(tree[1], answers, numbers);
  if (!answered(left)) return false;
  if (tree[0] === "in") {
    const chosen = Array.isArray(left) ? left : [left];
    return chosen.some((one) => tree[2].some((other) => equal(one, other)));
  }
  const right = read(tree[2], answers, numbers);
  if (tree[0] === "under") return typeof left === "string" && (left === right || left.startsWith(`${right}.`));
  if (tree[0] === "==") return equal(left, right);
  if (tree[0] === "!=") return answered(right) && !equal(left, right);
  return isNumber(left) && isNumber(right) && ORDERED[tree[0]](left, right);
}

function read([head, name], answers, numbers) {
  return READERS[head](name, answers, numbers);
}

// A question may be called "constructor": only what was put there counts.
function own(record, name) {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/**
 * The numbers that the options of a protocol's questions carry, for `value(question)`.
 * @param {Array<{id: string, options?: Array<{id: string, value?: number | null}>}>} questions
 * @returns {Numbers}
 */
export function numbersOf(questions) {
  const numbers = {};
  for (const { id, options } of questions) {
    const valued = (options ?? []).filter((option) => isNumber(option.value));
    if (valued.length) numbers[id] = Object.fromEntries(valued.map((option) => [option.id, option.value]));
  }
  return numbers;
}
