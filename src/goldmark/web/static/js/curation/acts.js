// What can be done to the chosen mark of the curator's desk.
import { Cut, Ends, Pair } from "./modes.js";

export const FINISHED = "This text is finished. Reopen it to change its list.";

/** What a key does to the chosen mark. */
export function actOn(desk, entry, command) {
  const mark = entry.id;
  const { entries } = desk.model.state;
  const following = entries[entries.indexOf(entry) + 1];
  const said = (name) => entry.sources.map((one) => one[name]);
  const acts = {
    a: () => desk.take("accept", { mark }) && desk.goUndecided(),
    d: () => desk.take("drop", { mark }) && desk.goUndecided(),
    e: () => desk.enter(new Ends("span", entry, desk.config.rules)),
    s: () => (entry.end - entry.start > 1 ? desk.enter(new Cut(entry)) : desk.hint("One word cannot be split.")),
    "=": () => (entries.length > 1 ? desk.enter(new Pair(entries, mark)) : desk.hint("There is no other mark.")),
    m: () => (following ? merge(desk, entry, following) : desk.hint("There is no mark after this one.")),
    c: () => desk.edit("change_correction", { mark }, "Correction", entry.correction, said("correction")),
    w: () => desk.edit("change_comment", { mark }, "Comment", entry.comment, said("comment")),
    n: () => desk.edit("note", { mark }, "Note", entry.note),
    v: () => desk.entries.focusDetails(mark) || desk.hint("Nothing else is asked of marks here."),
    l: () => link(desk, desk.config.rules.roles[0]),
  };
  acts[command]?.();
}

function merge(desk, entry, following) {
  const { priority } = desk.config.rules;
  const rank = (label) => (priority.includes(label) ? priority.indexOf(label) : priority.length);
  const label = rank(following.label) < rank(entry.label) ? following.label : entry.label;
  desk.at = entry.start;
  desk.take("merge", { marks: [entry.id, following.id], label });
}

/** Words that belong to the chosen mark, in a role that the protocol knows. */
export function link(desk, /** @type {string | undefined} */ role) {
  const { entry } = desk;
  if (!role) desk.hint("Marks have no linked words here.");
  else if (entry) {
    const { last } = desk.config.rules;
    const place = entry.links.find((link) => link.role === role) ?? { start: entry.start, end: entry.start + 1 };
    desk.enter(new Ends("link", place, { first: 0, last }, role));
  }
}

/** An attribute that is answered in words or with a number. */
export function write(desk, { id, name, given }) {
  const mark = desk.chosen;
  const said = (desk.entry?.sources ?? []).flatMap((one) => one.attributes?.[id] ?? []);
  const keep = (words) => desk.take("change_attribute", { mark, attribute: id, values: words ? [words] : [] });
  if (desk.model.state.finished) desk.hint(FINISHED);
  else desk.editor.ask(name, given, said, keep);
}
