import type { Outline } from './outline.ts';

/** Changes to a JSON value, by the nodes of its outline, and the reasons, in sentences to display. */
export interface Changes {
  readonly replaced: Map<number, string>;
  /** By the object or list that contains them. */
  readonly removed: Map<number, Set<number>>;
  /** One new member, by the object to which it is added. */
  readonly added: Map<number, string>;
  readonly repairs: string[];
}

export function createChanges(): Changes {
  return { replaced: new Map(), removed: new Map(), added: new Map(), repairs: [] };
}

/** An effective member: the last one if its name occurs twice. */
export interface MemberLocation {
  readonly outline: Outline;
  readonly parent: number;
  readonly key: string;
  readonly node: number;
  /** Path of the member for messages. */
  readonly path: string;
}

/** Removes a member and reports it. `wanted` completes the sentence. */
export function removeMember(changes: Changes, { outline, parent, key, path }: MemberLocation, wanted: string): void {
  removeNodes(changes, parent, outline.findAll(parent, key));
  changes.repairs.push(`${path} was not ${wanted} and is left out`);
}

export function removeNodes({ removed }: Changes, parent: number, nodes: readonly number[]): void {
  const known = removed.get(parent) ?? new Set();
  for (const node of nodes) known.add(node);
  removed.set(parent, known);
}

/** A byte range and its replacement; the range is empty for an insertion. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Converts changes to edits in byte order. Bytes that no edit covers stay. Drops changes inside a removed value. */
export function toEdits(outline: Outline, { replaced, removed, added }: Changes): Edit[] {
  const edits: Edit[] = [];
  for (const [node, text] of replaced) edits.push({ start: outline.start(node), end: outline.end(node), text });
  for (const parent of new Set([...removed.keys(), ...added.keys()])) {
    edits.push(...rewriteChildren(outline, parent, { gone: removed.get(parent) ?? NONE, text: added.get(parent) }));
  }
  edits.sort((a, b) => a.start - b.start || a.end - b.end);
  let from = 0;
  return edits.filter(({ start, end }) => {
    const isOutside = start >= from;
    from = Math.max(from, end);
    return isOutside;
  });
}

const NONE: ReadonlySet<number> = new Set();

interface ChildRewrite {
  readonly gone: ReadonlySet<number>;
  /** A member to write after the last one that stays. */
  readonly text: string | undefined;
}

/** Removes members together with one comma each: the one after them, or at the end of the object the one before. */
function rewriteChildren(outline: Outline, parent: number, { gone, text }: ChildRewrite): Edit[] {
  const contents = outline.children(parent);
  const lastKept = contents.findLastIndex((node) => !gone.has(node));
  const edits: Edit[] = [];
  for (let index = 0; index < lastKept; index++) {
    const [node, next] = contents.slice(index, index + 2);
    if (node === undefined || next === undefined || !gone.has(node)) continue;
    edits.push({ start: outline.entryStart(node), end: outline.entryStart(next), text: '' });
  }
  const kept = contents[lastKept];
  const start = kept === undefined ? outline.start(parent) + 1 : outline.end(kept);
  const last = contents.at(-1);
  const end = last === undefined ? start : outline.end(last);
  const comma = kept === undefined ? '' : ',';
  if (end > start || text !== undefined) edits.push({ start, end, text: text === undefined ? '' : comma + text });
  return edits;
}
