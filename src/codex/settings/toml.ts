import { AppError } from '../../base/errors.ts';

/** What TOML can say, in the types of JSON: dates, and numbers that JSON does not have, are strings. */
export type TomlValue = string | number | boolean | readonly TomlValue[] | TomlTable;
export type TomlTable = { readonly [key: string]: TomlValue };

/**
 * A value as `codex -c key=value` reads it: a literal of TOML, else the text itself. Other than there the text stays
 * whole, with quotes and spaces at its ends, and a text of several lines is never taken for its first.
 */
export async function parseConfigValue(text: string): Promise<TomlValue> {
  try {
    const { value, ...others } = await parseToml(`value = ${text}`);
    return value === undefined || Object.keys(others).length > 0 ? text : value;
  } catch {
    // Not TOML: most strings are written without quotes.
    return text;
  }
}

/** Inside each other; what nests deeper is no configuration. */
const MAX_DEPTH = 100;

/** A whole document. Throws what `tomlFault` can explain. */
export async function parseToml(text: string): Promise<TomlTable> {
  // Most calls need no TOML, and nobody waits for its import then.
  const { parse } = await import('smol-toml');
  return toTomlTable(parse(text, { maxDepth: MAX_DEPTH }));
}

/** Where a document is not TOML, and why. The text around it is left out: it may be a secret. */
export function describeTomlError(error: unknown): { readonly line: number; readonly message: string } {
  const line = error instanceof Error && 'line' in error && typeof error.line === 'number' ? error.line : 0;
  const [reason = ''] = (error instanceof Error ? error.message : '').split('\n');
  return { line, message: `This is not TOML: ${reason.replace(/^Invalid TOML document: /, '') || 'unknown error'}.` };
}

function toTomlTable(table: object): TomlTable {
  return Object.fromEntries(Object.entries(table).map(([key, value]) => [key, toTomlValue(value)]));
}

function toTomlValue(value: unknown): TomlValue {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : notFinite(value);
  if (Array.isArray(value)) return value.map(toTomlValue);
  // The dates of the parser write themselves as they stood in the text.
  if (value instanceof Date) return value.toISOString();
  return toTomlTable(Object(value));
}

/** The value behind the `=` of `-c key=value`, from what JSON can hold; members that are undefined are left out. */
export function toTomlLiteral(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return toNumber(value);
  if (Array.isArray(value)) return `[${value.map(toTomlLiteral).join(', ')}]`;
  if (typeof value !== 'object' || value === null)
    throw new AppError('BAD_ARGUMENTS', `TOML has no ${value === null ? 'null' : typeof value}: leave the key out.`);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => `${/^[\w-]+$/.test(key) ? key : quote(key)} = ${toTomlLiteral(member)}`);
  return `{${members.join(', ')}}`;
}

function toNumber(value: number): string {
  if (!Number.isFinite(value)) return notFinite(value);
  // An integer of TOML has 64 bits; beyond that it has to be written as a float.
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? value.toExponential() : String(value);
}

function notFinite(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  return value > 0 ? 'inf' : '-inf';
}

/** The escapes of JSON are TOML's too, which wants one more, for DEL, and knows no halves of characters. */
function quote(text: string): string {
  return JSON.stringify(text.replace(/\p{Cs}/gu, '\ufffd')).replaceAll('\u007f', '\\u007f');
}
