import { isObject } from '../wire/messages.ts';

/** The way to an argument: keys of objects inside each other, and places in lists. */
export type ArgumentPath = readonly string[];

/** `a.b` is b in what is under a; `a\.b` is one key with a dot, `\\` a backslash in one. Undefined for what is no path. */
export function readPath(text: string): ArgumentPath | undefined {
  if (!/^(?:[^\\]|\\[.\\])*$/s.test(text)) return undefined;
  const keys = [''];
  for (const [sign] of text.matchAll(/\\?./gs)) {
    if (sign === '.') keys.push('');
    else keys.push(`${keys.pop()}${sign.at(-1)}`);
  }
  return keys.includes('') ? undefined : keys;
}

export interface FoundTexts {
  /** What stands where the path leads; undefined when it leads nowhere. */
  readonly meant: string | undefined;
  /** That, and whatever stands where it would lead if its dots were taken otherwise. */
  readonly all: readonly string[];
}

/**
 * What stands at a path, as text: a string as it is, anything else as JSON. Whether a dot belongs to a key or stands
 * between two is the tool's own business, and a model may write either: no rule may be passed by that way.
 */
export function textsAt(value: unknown, path: ArgumentPath): FoundTexts {
  const meant = path.reduce(memberOf, value);
  return {
    meant: meant === undefined ? undefined : toText(meant),
    all: findAll(value, path.join('.').split('.')).map(toText),
  };
}

/** With every key that some of these words make. Each way ends somewhere else, so there are no more than values. */
function findAll(value: unknown, words: readonly string[]): readonly unknown[] {
  if (words.length === 0) return [value];
  return words.flatMap((_, at) => {
    const member = memberOf(value, words.slice(0, at + 1).join('.'));
    return member === undefined ? [] : findAll(member, words.slice(at + 1));
  });
}

/** Undefined when there is none: JSON has no such value. */
function memberOf(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return /^\d+$/.test(key) && Object.hasOwn(value, key) ? value[Number(key)] : undefined;
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
