import { AppError } from '../../base/errors.ts';
import { quoteIfNeeded } from '../../base/text/visible-text.ts';

type Table = Record<string, unknown>;

/** The maximum nesting depth. No real configuration nests deeper. */
const MAX_DEPTH = 100;

/**
 * Converts settings whose keys are paths, such as `sandbox_workspace_write.network_access` or `a."b.c".d`, to nested
 * tables. Throws if two keys set the same value: which of them wins would depend on their order.
 */
export function nestKeys(entries: Readonly<Record<string, unknown>>): Table {
  const root: Table = {};
  for (const [key, value] of Object.entries(entries)) {
    const nested = splitKey(key).reduceRight((inner, segment) => ({ [segment]: inner }), value);
    merge(root, Object(nested), { key, depth: 0 });
  }
  return root;
}

/** A segment is bare, or quoted as in TOML. A bare one may contain anything but dots and quotes. */
const SEGMENT = /[ \t]*(?:("(?:[^"\\\r\n]|\\.)*")|'([^'\r\n]*)'|([^."'\r\n]*?))[ \t]*(\.|$)/y;

function splitKey(key: string): readonly string[] {
  const path: string[] = [];
  const segments = new RegExp(SEGMENT);
  for (let isLast = false; !isLast; ) {
    const found = segments.exec(key);
    if (found === null) throw invalidKey(key, 'its quotes do not match');
    const [, quoted, literal, bare, end] = found;
    const segment = quoted === undefined ? (literal ?? bare ?? '') : unquote(quoted, key);
    if (segment === '') throw invalidKey(key, 'a part of it is empty');
    path.push(segment);
    isLast = end === '';
  }
  return path;
}

function unquote(quoted: string, key: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    throw invalidKey(key, 'its quotes do not match');
  }
}

interface KeyContext {
  /** The key as it was written, for messages. */
  readonly key: string;
  readonly depth: number;
}

function merge(table: Table, over: Readonly<Table>, { key, depth }: KeyContext): void {
  if (depth > MAX_DEPTH) throw invalidKey(key, `it nests deeper than ${MAX_DEPTH}`);
  for (const [name, value] of Object.entries(over)) {
    if (name === '__proto__') throw invalidKey(key, '__proto__ is not the name of a setting');
    const isThere = Object.hasOwn(table, name);
    const below = isThere ? table[name] : {};
    if (isThere && !(isTable(value) && isTable(below))) throw invalidKey(key, 'another key sets the same value');
    table[name] = isTable(value) ? below : value;
    if (isTable(value) && isTable(below)) merge(below, value, { key, depth: depth + 1 });
  }
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalidKey(key: string, reason: string): AppError {
  return new AppError('BAD_ARGUMENTS', `config: the key ${quoteIfNeeded(key)} cannot be used: ${reason}.`, {
    data: { key },
  });
}
