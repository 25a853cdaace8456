import { needsNeutralizing, oneLine } from '../../base/text/safe-text.ts';

/**
 * Formats the changes of a definition as text that fits on a line. The texts come from a third party: nothing in them
 * may hide content or mislead the reader.
 */

/**
 * Joins as many changes as fit, and counts the rest. Changes of a description come first, because a model reads it
 * first.
 */
export function joinChanges(changes: readonly string[]): string {
  const sorted = [...changes.filter(isDescription), ...changes.filter((change) => !isDescription(change))];
  let line = sorted[0] ?? '';
  let count = 1;
  for (const change of sorted.slice(1)) {
    if (line.length + change.length > MAX_LINE - ROOM_FOR_REST) break;
    line += `; ${change}`;
    count++;
  }
  const rest = count < sorted.length ? `; and ${sorted.length - count} more` : '';
  return oneLine(line, MAX_LINE - rest.length) + rest;
}

function isDescription(change: string): boolean {
  return change.startsWith('description:');
}

/** Returns the path of a member of the value at `path`. */
export function appendToPath(path: string, name: string): string {
  if (!PLAIN_NAME.test(name)) return `${path}[${escapeInvisible(JSON.stringify(name.slice(0, MAX_NAME)))}]`;
  return path === '' ? name : `${path}.${name}`;
}

export function formatPath(path: string): string {
  if (path === '') return 'all of it';
  return path.length <= MAX_PATH ? path : `…${path.slice(1 - MAX_PATH)}`;
}

/** Formats both JSON texts from where they differ: a long text with a new ending must not look the same. */
export function formatChange(before: string, after: string): string {
  const isShort = before.length <= MAX_SIDE && after.length <= MAX_SIDE;
  const from = isShort ? 0 : Math.max(0, sharedStart(before, after) - SHARED_CONTEXT);
  return `${formatText(before, from)} -> ${formatText(after, from)}`;
}

export function formatText(text: string, from = 0): string {
  const start = from === 0 ? '' : '…';
  const rest = text.slice(from);
  return escapeInvisible(start + (rest.length <= MAX_SIDE ? rest : `${rest.slice(0, MAX_SIDE - 1)}…`));
}

function sharedStart(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}

/** Escapes invisible characters, so that a change of nothing else is visible too. */
function escapeInvisible(text: string): string {
  return Array.from(text, (character) => (isInvisible(character) ? escapeOf(character) : character)).join('');
}

function isInvisible(character: string): boolean {
  return needsNeutralizing(character) || /[\p{Cf}\p{Cs}]/u.test(character);
}

function escapeOf(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

const MAX_LINE = 200;
const ROOM_FOR_REST = 20;
const MAX_SIDE = 60;
const MAX_PATH = 60;
const MAX_NAME = 40;
/** Number of common characters that show the position of a change. */
const SHARED_CONTEXT = 12;
const PLAIN_NAME = /^[\w$-]{1,40}$/;
