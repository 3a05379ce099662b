// What a curator's steps lead to, folded as on the server (curation/workspace/steps.py), so that a page need not wait for it.
// tests/curation/test_steps.py runs both on the same steps.

/**
 * @typedef {object} Source what one annotator marked
 * @property {string} annotator
 * @property {number} start
 * @property {number} end
 * @property {string} label
 * @property {string} correction
 * @property {string} comment
 * @property {string} id
 * @property {boolean} other_form
 * @property {Record<string, string[]>} [attributes]
 * @property {Link[]} [links]
 */

/** @typedef {{role: string, start: number, end: number}} Link a passage that belongs to a mark */

/**
 * @typedef {object} Entry one error as the curator sees it
 * @property {string} id
 * @property {number} start
 * @property {number} end
 * @property {string} label
 * @property {"open" | "accepted" | "dropped" | "left out"} status
 * @property {string} correction
 * @property {string} comment
 * @property {string} note
 * @property {number} found_by
 * @property {number} label_agreed_by
 * @property {number} span_agreed_by
 * @property {Source[]} sources
 * @property {string} group
 * @property {Record<string, string[]>} attributes what else was asked of it, such as severity
 * @property {Link[]} links
 */

/** @typedef {{entries: Entry[], annotators: string[], responses: string[], note: string, finished: boolean}} State */
/** @typedef {{number: number, kind: string, facts: any, reason?: string, author?: string, at?: string | null}} Step */

/** A step that cannot be taken, and why. */
export class NotPossible extends Error {}

/** @type {State} */
const EMPTY = { entries: [], annotators: [], responses: [], note: "", finished: false };

export const live = (/** @type {Entry} */ entry) => entry.status === "open" || entry.status === "accepted";
export const overlap = (one, other) => one.start < other.end && other.start < one.end;

/** @returns {Entry} */
export function entryOf(/** @type {State} */ state, /** @type {string} */ id) {
  const found = state.entries.find((one) => one.id === id);
  if (!found) throw new NotPossible("This mark is not here any more: it was merged, split or taken back.");
  return found;
}

const made = (id) => id.split(".").map(Number);
const byPlace = (one, other) =>
  one.start - other.start ||
  one.end - other.end ||
  made(one.id)[0] - made(other.id)[0] ||
  made(one.id)[1] - made(other.id)[1];

/** @param {State} state @param {Entry[]} entries @param {string[]} insteadOf @returns {State} */
function put(state, entries, insteadOf = []) {
  const gone = new Set([...insteadOf, ...entries.map((one) => one.id)]);
  return { ...state, entries: [...state.entries.filter((one) => !gone.has(one.id)), ...entries].sort(byPlace) };
}

const people = (sources) => new Set(sources.map((one) => one.annotator)).size;
const agreeing = (sources, agrees) => people(sources.filter((one) => !one.other_form && agrees(one)));
const relabelled = (entry, label) => ({
  ...entry,
  label,
  label_agreed_by: agreeing(entry.sources, (one) => one.label === label),
});
const moved = (entry, { start, end }) => ({
  ...entry,
  start,
  end,
  span_agreed_by: agreeing(entry.sources, (one) => one.start === start && one.end === end),
});

const KEYS = ["annotator", "start", "end", "label", "correction", "comment", "id", "other_form"];
const MORE = ["attributes", "links"];
const compared = (one, other) => (one < other ? -1 : Number(one > other));
const bySource = (one, other) => KEYS.reduce((before, key) => before || compared(one[key], other[key]), 0);
const distinct = (values) => [...new Set(values.filter(Boolean))];

/** Sources in order, each once. @param {Source[]} sources */
function tidied(sources) {
  const seen = new Map(sources.map((one) => [JSON.stringify([...KEYS, ...MORE].map((key) => one[key])), one]));
  return [...seen.values()].sort(bySource);
}

function withSources(entry, sources) {
  const kept = { ...entry, sources: tidied(sources) };
  return moved(relabelled({ ...kept, found_by: people(kept.sources) }, entry.label), entry);
}

function alsoSaid(entry, sources) {
  const key = (one) => JSON.stringify([one.annotator, one.start, one.end, one.label, one.id]);
  const mine = new Set(entry.sources.map(key));
  const more = sources.filter((one) => !mine.has(key(one))).map((one) => ({ ...one, other_form: true }));
  const every = tidied([...entry.sources, ...more]);
  return { ...entry, sources: every, found_by: people(every) };
}

const unsaid = { correction: "", comment: "", note: "", group: "", attributes: {}, links: [] };
const blank = { ...unsaid, found_by: 0, label_agreed_by: 0, span_agreed_by: 0 };

function merged(entries, id, label) {
  const some = [...entries].sort(byPlace);
  const joined = (name, between) => distinct(some.map((one) => one[name])).join(between);
  const whole = {
    ...blank,
    id,
    start: Math.min(...some.map((one) => one.start)),
    end: Math.max(...some.map((one) => one.end)),
    label,
    status: "accepted",
    correction: joined("correction", " "),
    comment: joined("comment", "; "),
    note: joined("note", "; "),
    group: some[0].group,
    attributes: Object.assign({}, ...some.map((one) => one.attributes).reverse()), // what the first says counts
    links: distinct(some.flatMap((one) => one.links).map((link) => JSON.stringify(link))).map((link) =>
      JSON.parse(link),
    ),
  };
  return withSources(
    whole,
    some.flatMap((one) => one.sources),
  );
}

/** An entry as it was stored, perhaps before marks had attributes and links. @returns {Entry} */
const complete = (entry) => ({ attributes: {}, links: [], ...entry });

/** @type {Record<string, (state: State, facts: any, number: number) => State>} */
const KINDS = {
  begin: (state, { entries, annotators, responses }) =>
    put({ ...EMPTY, annotators, responses, note: state.note }, entries.map(complete)),
  accept: (state, { mark }) => put(state, [{ ...entryOf(state, mark), status: "accepted" }]),
  drop: (state, { mark }) => put(state, [{ ...entryOf(state, mark), status: "dropped" }]),
  change_span: (state, { mark, start, end }) =>
    put(state, [{ ...moved(entryOf(state, mark), { start, end }), status: "accepted" }]),
  change_label: (state, { mark, label }) =>
    put(state, [{ ...relabelled(entryOf(state, mark), label), status: "accepted" }]),
  change_correction: (state, { mark, correction }) => put(state, [{ ...entryOf(state, mark), correction }]),
  change_comment: (state, { mark, comment }) => put(state, [{ ...entryOf(state, mark), comment }]),
  import: (state, { entries }) => put({ ...state, entries: [] }, entries.map(complete)),
  change_attribute(state, { mark, attribute, values }) {
    const { [attribute]: _, ...rest } = entryOf(state, mark).attributes;
    const attributes = values.length ? { ...rest, [attribute]: values } : rest;
    return put(state, [{ ...entryOf(state, mark), attributes }]);
  },
  change_links(state, { mark, role, passages }) {
    const kept = entryOf(state, mark).links.filter((link) => link.role !== role);
    const links = [...kept, ...passages.map(({ start, end }) => ({ role, start, end }))];
    return put(state, [
      { ...entryOf(state, mark), links: links.sort((one, other) => compared(one.role, other.role)) },
    ]);
  },
  merge(state, { marks, label }, number) {
    const some = [...new Set(marks)].map((id) => entryOf(state, id));
    if (some.length < 2) throw new NotPossible("There is nothing to merge this mark with.");
    return put(state, [merged(some, `${number}.1`, label ?? some[0].label)], marks);
  },
  split(state, { mark, at }, number) {
    const whole = entryOf(state, mark);
    if (at <= whole.start || at >= whole.end) throw new NotPossible("One word cannot be split.");
    const parts = [
      { start: whole.start, end: at },
      { start: at, end: whole.end },
    ].map((place, index) =>
      withSources(
        { ...whole, ...place, id: `${number}.${index + 1}`, status: "accepted" },
        whole.sources.filter((one) => one.other_form || overlap(one, place)),
      ),
    );
    return put(state, parts, [mark]);
  },
  add: (state, { start, end, label = "", correction = "", comment = "" }, number) =>
    put(state, [
      { ...blank, id: `${number}.1`, start, end, label, status: "accepted", correction, comment, sources: [] },
    ]),
  same_meaning(state, { mark, other }) {
    if (mark === other) throw new NotPossible("Choose another mark that means the same.");
    return put(state, [alsoSaid(entryOf(state, mark), entryOf(state, other).sources)], [other]);
  },
  note: (state, { mark, note }) => (mark ? put(state, [{ ...entryOf(state, mark), note }]) : { ...state, note }),
  undo: (state) => state,
  finish: (state) => ({ ...state, finished: true }),
  reopen: (state) => ({ ...state, finished: false }),
};

/** The steps that were not taken back; from the last to the first, for an undo may be undone. @param {Step[]} steps */
export function inForce(steps) {
  const undone = new Set();
  const kept = [];
  for (const step of [...steps].reverse()) {
    if (undone.has(step.number)) continue;
    kept.push(step);
    if (step.kind === "undo") undone.add(step.facts.step);
  }
  return kept.reverse();
}

/** @param {Step[]} steps @returns {State} */
export function fold(steps) {
  return inForce(steps).reduce((state, step) => KINDS[step.kind](state, step.facts, step.number), EMPTY);
}

/** The marks that a step is about. @param {Step} step @returns {string[]} */
export function touched({ facts }) {
  return [facts.mark, facts.other, ...(facts.marks ?? [])].filter(Boolean);
}

/** What would be wrong after a step that was right before it, in words. @param {State} before @param {State} after */
export function wrongWith(before, after, { first, last, overlaps }) {
  const known = new Set(before.entries);
  const changed = new Set(after.entries.filter((one) => live(one) && !known.has(one)));
  for (const one of changed) {
    if (one.start < first || one.end > last) return "This part of the text is not judged.";
    const other = !overlaps && after.entries.find((some) => some !== one && live(some) && overlap(some, one));
    if (other) return "Marks may not overlap here: change, merge or drop the other one first.";
  }
  return "";
}
