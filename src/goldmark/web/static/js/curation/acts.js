// What can be done to the chosen mark of the curator's workspace.
import { Cut, Ends, Pair } from "./modes.js";

export const FINISHED = "This text is finished. Reopen it to change its list.";

/** What a key does to the chosen mark. */
export function actOn(workspace, entry, command) {
  const mark = entry.id;
  const { entries } = workspace.model.state;
  const following = entries[entries.indexOf(entry) + 1];
  const said = (name) => entry.sources.map((one) => one[name]);
  const acts = {
    a: () => workspace.take("accept", { mark }) && workspace.goUndecided(),
    d: () => workspace.take("drop", { mark }) && workspace.goUndecided(),
    e: () => workspace.enter(new Ends("span", entry, workspace.config.rules)),
    s: () => (entry.end - entry.start > 1 ? workspace.enter(new Cut(entry)) : workspace.hint("One word cannot be split.")),
    "=": () => (entries.length > 1 ? workspace.enter(new Pair(entries, mark)) : workspace.hint("There is no other mark.")),
    m: () => (following ? merge(workspace, entry, following) : workspace.hint("There is no mark after this one.")),
    c: () => workspace.edit("change_correction", { mark }, "Correction", entry.correction, said("correction")),
    w: () => workspace.edit("change_comment", { mark }, "Comment", entry.comment, said("comment")),
    n: () => workspace.edit("note", { mark }, "Note", entry.note),
    v: () => workspace.entries.focusDetails(mark) || workspace.hint("Nothing else is asked of marks here."),
    l: () => link(workspace, workspace.config.rules.roles[0]),
  };
  acts[command]?.();
}

function merge(workspace, entry, following) {
  const { priority } = workspace.config.rules;
  const rank = (label) => (priority.includes(label) ? priority.indexOf(label) : priority.length);
  const label = rank(following.label) < rank(entry.label) ? following.label : entry.label;
  workspace.at = entry.start;
  workspace.take("merge", { marks: [entry.id, following.id], label });
}

/** Words that belong to the chosen mark, in a role that the protocol knows. */
export function link(workspace, /** @type {string | undefined} */ role) {
  const { entry } = workspace;
  if (!role) workspace.hint("Marks have no linked words here.");
  else if (entry) {
    const { last } = workspace.config.rules;
    const place = entry.links.find((link) => link.role === role) ?? { start: entry.start, end: entry.start + 1 };
    workspace.enter(new Ends("link", place, { first: 0, last }, role));
  }
}

/** An attribute that is answered in words or with a number. */
export function write(workspace, { id, name, given }) {
  const mark = workspace.chosen;
  const said = (workspace.entry?.sources ?? []).flatMap((one) => one.attributes?.[id] ?? []);
  const keep = (words) => workspace.take("change_attribute", { mark, attribute: id, values: words ? [words] : [] });
  if (workspace.model.state.finished) workspace.hint(FINISHED);
  else workspace.editor.ask(name, given, said, keep);
}
