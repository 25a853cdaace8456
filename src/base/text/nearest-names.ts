/**
 * Returns the known names nearest to an unknown one, best first, for "did you mean": the same tool with an extra or a
 * missing prefix, a typo, or a name that contains the wanted one. Bounded: ten thousand names cost milliseconds.
 */
export function nearestNames(wanted: string, known: readonly string[], max = 3): string[] {
  if (wanted === '' || wanted.length > MAX_LENGTH) return [];
  const measure = createMeasure(fold(wanted));
  const best: { readonly name: string; readonly distance: number }[] = [];
  let limit = CONTAINS_DISTANCE;
  for (const name of known) {
    const distance = name.length > MAX_LENGTH ? OUT_OF_REACH : measure(fold(name), limit);
    if (distance > limit) continue;
    const index = best.findIndex((other) => other.distance > distance);
    best.splice(index === -1 ? best.length : index, 0, { name, distance });
    if (best.length > max) best.pop();
    // On a tie the first name stays, so from now on only nearer names matter.
    if (best.length === max) limit = (best.at(-1)?.distance ?? 0) - 1;
  }
  return best.map(({ name }) => name);
}

const MAX_LENGTH = 128;
/** A name that differs in more edits is another word. */
const MAX_EDITS = 8;
/** Ranks after every typo. */
const CONTAINS_DISTANCE = MAX_EDITS + 1;
const SHORTEST_PART = 3;
const OUT_OF_REACH = Number.POSITIVE_INFINITY;

function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9_]/g, '_');
}

type Measure = (name: string, limit: number) => number;

/** Returns a function that measures how far a name is from the goal. Beyond `limit` its result need not be exact. */
function createMeasure(goal: string): Measure {
  const goalTool = toolPart(goal);
  const maxEdits = Math.min(MAX_EDITS, Math.ceil(goal.length / 3));
  const editDistance = createEditDistance(goal);
  return (name, limit) => {
    if (name === goal) return 0;
    const tool = toolPart(name);
    if (tool === goal || goal.endsWith(`__${name}`)) return 1;
    const whole = editDistance(name, Math.min(limit, maxEdits));
    const part = tool === name ? whole : 1 + editDistance(tool, Math.min(limit, maxEdits) - 1);
    const nearest = Math.min(whole, part, tool === goalTool ? 2 : OUT_OF_REACH);
    if (nearest !== OUT_OF_REACH) return nearest;
    return goalTool.length >= SHORTEST_PART && tool.includes(goalTool) ? CONTAINS_DISTANCE : OUT_OF_REACH;
  };
}

function toolPart(name: string): string {
  const at = name.lastIndexOf('__');
  return at === -1 ? name : name.slice(at + 2);
}

/**
 * Returns a function that counts how many letters must be inserted, deleted, changed or swapped with their neighbor.
 * It computes only the cells that can lead to a distance within the limit.
 */
function createEditDistance(goal: string): Measure {
  let twoAbove = new Uint16Array(MAX_LENGTH + 1);
  let above = new Uint16Array(MAX_LENGTH + 1);
  let row = new Uint16Array(MAX_LENGTH + 1);
  return (name, limit) => {
    const tooFar = limit + 1;
    if (Math.abs(name.length - goal.length) > limit) return OUT_OF_REACH;
    for (let column = 0; column <= goal.length; column++) above[column] = column;
    for (let line = 1; line <= name.length; line++) {
      const from = Math.max(1, line - limit);
      const to = Math.min(goal.length, line + limit);
      let smallest = tooFar;
      row[from - 1] = from === 1 ? line : tooFar;
      for (let column = from; column <= to; column++) {
        const changed = (above[column - 1] ?? 0) + (name.charCodeAt(line - 1) === goal.charCodeAt(column - 1) ? 0 : 1);
        const added = Math.min(above[column] ?? 0, row[column - 1] ?? 0) + 1;
        const swapped = isSwap(name, line, goal, column) ? (twoAbove[column - 2] ?? 0) + 1 : tooFar;
        row[column] = Math.min(changed, added, swapped);
        smallest = Math.min(smallest, row[column] ?? 0);
      }
      if (to < goal.length) row[to + 1] = tooFar;
      if (smallest > limit) return OUT_OF_REACH;
      [twoAbove, above, row] = [above, row, twoAbove];
    }
    const distance = above[goal.length] ?? tooFar;
    return distance > limit ? OUT_OF_REACH : distance;
  };
}

/** Returns whether the two letters of `name` up to `line` are the two letters of `goal` up to `column`, swapped. */
function isSwap(name: string, line: number, goal: string, column: number): boolean {
  if (line < 2 || column < 2 || name.charCodeAt(line - 1) !== goal.charCodeAt(column - 2)) return false;
  return name.charCodeAt(line - 2) === goal.charCodeAt(column - 1);
}
