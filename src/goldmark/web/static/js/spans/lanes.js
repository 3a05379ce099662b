// Marks that overlap are drawn one under the other; each gets a lane, the lowest that is free.

/** @typedef {{start: number, end: number, lane: number}} Laned */

/**
 * Give every mark a lane and return how many lanes there are. The longer of two marks that start together comes first,
 * so that an inner mark lies below the outer one.
 * @param {Laned[]} marks
 * @returns {number}
 */
export function assignLanes(marks) {
  const ends = []; // where each lane is taken up to
  const inOrder = [...marks].sort((one, other) => one.start - other.start || other.end - one.end);
  for (const mark of inOrder) {
    let lane = ends.findIndex((end) => end <= mark.start);
    if (lane === -1) lane = ends.length;
    mark.lane = lane;
    ends[lane] = mark.end;
  }
  return ends.length;
}

/**
 * Which marks cover each atom, innermost lane last; atoms without marks are absent.
 * @template {Laned} T
 * @param {T[]} marks
 * @returns {Map<number, T[]>}
 */
export function coverage(marks) {
  const covered = new Map();
  for (const mark of [...marks].sort((one, other) => one.lane - other.lane)) {
    for (let atom = mark.start; atom < mark.end; atom += 1) {
      if (covered.has(atom)) covered.get(atom).push(mark);
      else covered.set(atom, [mark]);
    }
  }
  return covered;
}
