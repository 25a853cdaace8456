import { truncate } from '../../base/text/truncate.ts';
import { type Changes, createChanges, removeNodes, toEdits } from '../json/json-changes.ts';
import { Outline } from '../json/outline.ts';
import { walkValues } from '../json/walk-values.ts';
import { writeEdited } from '../json/write-json.ts';
import type { Rewrite } from './profile.ts';

/**
 * Checks quickly: false for almost all schemas. True requires a closer look, because such digits may also be in a
 * string.
 */
export function mayHaveLargeNumbers(json: string): boolean {
  return LARGE.test(json);
}

const LARGE = /\d[eE]\+?\d{3}|\d{200}/;

export interface RepairedJson {
  readonly json: string;
  readonly rewrites: readonly Rewrite[];
}

/** Removes numbers that no double holds; undefined if the JSON exceeds the limits. */
export function repairNumbers(json: string): RepairedJson | undefined {
  const outline = new Outline(Buffer.from(json.trimStart()));
  outline.read(0);
  if (outline.limitExceeded !== undefined) return undefined;
  const changes = createChanges();
  const rewrites = removeLargeNumbers(changes, outline);
  return rewrites.length === 0
    ? { json, rewrites }
    : { json: writeEdited(outline, toEdits(outline, changes), []).json, rewrites };
}

/**
 * Removes members with such a number. An element of a list becomes text instead, because the others keep their
 * positions. Skips the content of the member `except`.
 */
export function removeLargeNumbers(changes: Changes, outline: Outline, except?: string): Rewrite[] {
  const rewrites: Rewrite[] = [];
  for (const { node, parent, path } of walkValues(outline)) {
    if (!isLargeNumber(outline, node) || (except !== undefined && path.startsWith(`${except}.`))) continue;
    const number = outline.text(node);
    const isElement = outline.isList(parent);
    if (isElement) changes.replaced.set(node, `"${number}"`);
    else removeNodes(changes, parent, sameKeyMembers(outline, parent, node));
    const what = `${truncate(number, MAX_DISPLAYED)} ${isElement ? 'became text' : 'left out'}`;
    rewrites.push({
      path,
      what,
      why: 'no double can represent it, and an older Codex loses the whole server',
      isNarrowing: isElement,
    });
  }
  return rewrites;
}

const MAX_DISPLAYED = 40;

function isLargeNumber(outline: Outline, node: number): boolean {
  const first = outline.bytes[outline.start(node)] ?? 0;
  return first <= NINE && (first >= ZERO || first === MINUS) && !Number.isFinite(Number(outline.text(node)));
}

const MINUS = 45;
const ZERO = 48;
const NINE = 57;

/** Returns the members to remove. The last of two with the same name counts: without it, the first one would. */
function sameKeyMembers(outline: Outline, parent: number, node: number): number[] {
  const key = outline.key(node);
  const found = outline.children(parent).filter((other) => outline.key(other) === key);
  return found.at(-1) === node ? found : [node];
}
