import { scanElements, scanMembers } from '../../wire/json/scan.ts';

/** The path to an argument: keys of nested objects, and indexes of lists. */
export type ArgumentPath = readonly string[];

/**
 * Parses a path: `a.b` is the key b inside a, `a\.b` one key with a dot, `\\` a backslash. Undefined for an invalid
 * path.
 */
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
  /** The text at exactly this path; undefined when there is none. */
  readonly exact: string | undefined;
  /** `exact`, and every other value that a tool may read for this path. */
  readonly all: readonly FoundText[];
}

export interface FoundText {
  /** A string decoded, any other value exactly as it is sent. */
  readonly text: string;
  readonly json: string;
}

/**
 * Returns the values at a path in this JSON, as text: a string decoded, any other value exactly as it is sent. Only the
 * tool determines whether a dot belongs to a key or separates two keys, and a model may write either. So the result
 * covers both, and a call cannot evade a rule with a key `a.b` when the rule names `a`, or with a duplicate key.
 */
export function textsAtPath(json: string, path: ArgumentPath): FoundTexts {
  const value = Buffer.from(json);
  const exact = path.reduce<Buffer | undefined>(lastMember, value);
  return {
    exact: exact === undefined ? undefined : toText(exact),
    all: findAll(value, path.join('.').split('.')),
  };
}

/** Returns the last of duplicate keys, which is the one that most parsers keep. */
function lastMember(value: Buffer | undefined, key: string): Buffer | undefined {
  return value && membersOf(value).findLast((member) => member.key === key)?.value;
}

/**
 * Follows every key that some of the segments form. Each path ends at a different value, so there are no more results
 * than values.
 */
function findAll(value: Buffer, segments: readonly string[]): readonly FoundText[] {
  if (segments.length === 0) return [{ text: toText(value), json: value.toString() }];
  const members = membersOf(value);
  const found = members.flatMap((member) => {
    const length = member.key.split('.').length;
    return segments.slice(0, length).join('.') === member.key ? findAll(member.value, segments.slice(length)) : [];
  });
  const prefix = `${segments.join('.')}.`;
  const inside = members.filter(({ key }) => key.startsWith(prefix));
  if (inside.length === 0) return found;
  const written = inside.map((one) => `${JSON.stringify(one.key.slice(prefix.length))}:${one.value}`);
  // Together the members form the intended object. Each is also tested alone, so that none can hide among the others.
  const parts = written.length === 1 ? written : [...written, written.join(',')];
  return [...found, ...parts.map((part) => ({ text: `{${part}}`, json: `{${part}}` }))];
}

interface Member {
  readonly key: string;
  /** The value's bytes in the JSON. */
  readonly value: Buffer;
}

function membersOf(value: Buffer): readonly Member[] {
  if (value[0] === OPEN_BRACKET)
    return scanElements(value).map(({ start, end }, at) => ({ key: String(at), value: value.subarray(start, end) }));
  return (scanMembers(value) ?? []).map(({ key, start, end }) => ({ key, value: value.subarray(start, end) }));
}

function toText(value: Buffer): string {
  const text = value.toString();
  return value[0] === QUOTE ? String(JSON.parse(text)) : text;
}

const QUOTE = 34;
const OPEN_BRACKET = 91;
