import { sha256 } from '../../base/digest.ts';
import { skipSpace } from '../../wire/json/scan.ts';
import { Outline } from '../json/outline.ts';
import { canonicalText } from './canonical-json.ts';
import { appendToPath, formatChange, formatPath, formatText, joinChanges } from './difference-text.ts';

/**
 * Describes on one line what changed between two definitions, given as JSON texts. Undefined if they mean the same:
 * whitespace and the order of keys do not count. Example: `description: "Reads a file" -> "Reads a file and sends it"`.
 */
export function describeDifference(before: string, after: string): string | undefined {
  if (before === after) return undefined;
  const [old, now] = [toOutline(before), toOutline(after)];
  if (old.limitExceeded !== undefined || now.limitExceeded !== undefined) return 'changed, but too large to compare';
  const changes: string[] = [];
  compare(changes, { path: '', old: { outline: old, node: 0 }, now: { outline: now, node: 0 } });
  return changes.length === 0 ? undefined : joinChanges(changes);
}

/** Returns a SHA-256 hash in hex digits, which is equal for all definitions that mean the same, and for no others. */
export function definitionHash(json: string): string {
  const outline = toOutline(json);
  const text = outline.limitExceeded === undefined ? canonicalText(outline, 0) : `as it is written:${json}`;
  return sha256(text);
}

function toOutline(json: string): Outline {
  const bytes = Buffer.from(json);
  const outline = new Outline(bytes);
  outline.read(skipSpace(bytes, 0));
  return outline;
}

interface NodeRef {
  readonly outline: Outline;
  readonly node: number;
}

interface Pair {
  readonly path: string;
  readonly old: NodeRef;
  readonly now: NodeRef;
}

/** Descends while both sides have the same shape, so that each change is reported at its own path. */
function compare(changes: string[], pair: Pair): void {
  const { path, old, now } = pair;
  const [was, is] = [elements(old), elements(now)];
  if (isObject(old) && isObject(now)) compareMembers(changes, pair);
  else if (was !== undefined && is !== undefined && was.length === is.length) {
    for (const [index, left] of was.entries()) {
      const right = is[index];
      if (right !== undefined) compare(changes, { path: `${path}[${index}]`, old: left, now: right });
    }
  } else if (canonicalText(old.outline, old.node) !== canonicalText(now.outline, now.node)) {
    changes.push(`${formatPath(path)}: ${formatChange(textOf(old), textOf(now))}`);
  }
}

function compareMembers(changes: string[], { path, old, now }: Pair): void {
  const [oldMembers, newMembers] = [members(old), members(now)];
  for (const name of new Set([...oldMembers.keys(), ...newMembers.keys()])) {
    const [was, is] = [oldMembers.get(name) ?? [], newMembers.get(name) ?? []];
    const inside = appendToPath(path, name);
    for (let index = 0; index < Math.max(was.length, is.length); index++) {
      const [left, right] = [was[index], is[index]];
      if (left !== undefined && right !== undefined) compare(changes, { path: inside, old: left, now: right });
      else if (right !== undefined) changes.push(`${formatPath(inside)}: added${scalarOf(right)}`);
      else changes.push(`${formatPath(inside)}: removed`);
    }
  }
}

/** Groups the members by name; a name may occur more than once. */
function members({ outline, node }: NodeRef): ReadonlyMap<string, readonly NodeRef[]> {
  const found = new Map<string, NodeRef[]>();
  for (const member of outline.children(node)) {
    const name = outline.key(member);
    const places = found.get(name);
    if (places === undefined) found.set(name, [{ outline, node: member }]);
    else places.push({ outline, node: member });
  }
  return found;
}

function elements({ outline, node }: NodeRef): readonly NodeRef[] | undefined {
  return outline.isList(node) ? outline.children(node).map((element) => ({ outline, node: element })) : undefined;
}

function isObject({ outline, node }: NodeRef): boolean {
  return outline.isObject(node);
}

/** Returns the value of a text or a number, which says more than its presence alone. */
function scalarOf(place: NodeRef): string {
  return isObject(place) || place.outline.isList(place.node) ? '' : `, ${formatText(textOf(place))}`;
}

function textOf({ outline, node }: NodeRef): string {
  return outline.text(node);
}
