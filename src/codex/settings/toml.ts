import { AppError } from '../../base/errors.ts';

/** A TOML value in JSON types. Dates, and numbers that JSON cannot represent, are strings. */
export type TomlValue = string | number | boolean | readonly TomlValue[] | TomlTable;
export type TomlTable = { readonly [key: string]: TomlValue };

/**
 * Parses a value like `codex -c key=value`: as a TOML literal, otherwise as the text itself. Unlike Codex, it keeps
 * quotes and outer spaces of the text, and never reduces a multi-line text to its first line.
 */
export async function parseConfigValue(text: string): Promise<TomlValue> {
  try {
    const { value, ...others } = await parseToml(`value = ${text}`);
    return value === undefined || Object.keys(others).length > 0 ? text : value;
  } catch {
    // The text is not TOML: most strings are written without quotes.
    return text;
  }
}

/** The maximum nesting depth. No real configuration nests deeper. */
const MAX_DEPTH = 100;

/** Parses a whole document. `describeTomlError` explains the errors that it throws. */
export async function parseToml(text: string): Promise<TomlTable> {
  // Imported on demand, because most calls need no TOML.
  const { parse } = await import('smol-toml');
  return toTomlTable(parse(text, { maxDepth: MAX_DEPTH }));
}

/** Describes where and why a document is not TOML. Omits the surrounding text, which may be a secret. */
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
  // The parser's dates serialize to the text that they were parsed from.
  if (value instanceof Date) return value.toISOString();
  return toTomlTable(Object(value));
}

/** Serializes a JSON value for the right-hand side of `-c key=value`. Omits members that are undefined. */
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
  // TOML integers have 64 bits. Larger numbers must be floats.
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? value.toExponential() : String(value);
}

function notFinite(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  return value > 0 ? 'inf' : '-inf';
}

/** Quotes a string with JSON escapes, which TOML shares. TOML also escapes DEL, and has no lone surrogates. */
function quote(text: string): string {
  return JSON.stringify(text.replace(/\p{Cs}/gu, '\ufffd')).replaceAll('\u007f', '\\u007f');
}
