import { scanElements, scanMembers } from '../../wire/json/scan.ts';

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
  readonly exact: string | undefined;
  /** That, and whatever else a tool may take for it. */
  readonly all: readonly FoundText[];
}

export interface FoundText {
  /** A string as it is, anything else exactly as it is sent. */
  readonly text: string;
  readonly json: string;
}

/**
 * What stands at a path in this JSON, as text: a string as it is, anything else exactly as it is sent. Whether a dot
 * belongs to a key or stands between two is the tool's own business, and a model may write either: no rule may be passed
 * by that way. Neither by `a.b` where the rule speaks of all that is in `a`, nor by a key that stands there twice.
 */
export function textsAtPath(json: string, path: ArgumentPath): FoundTexts {
  const value = Buffer.from(json);
  const exact = path.reduce<Buffer | undefined>(lastMember, value);
  return {
    exact: exact === undefined ? undefined : toText(exact),
    all: findAll(value, path.join('.').split('.')),
  };
}

/** The one that most parsers keep. */
function lastMember(value: Buffer | undefined, key: string): Buffer | undefined {
  return value && membersOf(value).findLast((member) => member.key === key)?.value;
}

/** With every key that some of these words make. Each way ends somewhere else, so there are no more than values. */
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
  // Together they are the object that is meant; and none of them may hide among the others.
  const parts = written.length === 1 ? written : [...written, written.join(',')];
  return [...found, ...parts.map((part) => ({ text: `{${part}}`, json: `{${part}}` }))];
}

interface Member {
  readonly key: string;
  /** As it stands in the JSON. */
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
