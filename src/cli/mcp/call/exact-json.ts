/** Parses like `JSON.parse`, but returns a `bigint` for an integer that a `number` cannot represent exactly. */
export function parseExact(json: string): unknown {
  const plain: unknown = JSON.parse(json);
  // Only an integer of 16 digits or more loses some. Looking for digits is faster than reading every number.
  if (!/\d{16}/.test(json) || !numbersIn(json).some(losesDigits)) return plain;
  // `JSON.parse` does not expose how a number is written. So such numbers pass through it as marked strings, and all
  // other strings get a different mark.
  let marked = '';
  let end = 0;
  for (const { start, text } of tokensIn(json)) {
    marked += json.slice(end, start);
    end = start + text.length;
    if (!text.startsWith('"')) marked += losesDigits(text) ? `"${DIGITS}${text}"` : text;
    else marked += isPropertyName(json, end) ? text : `"${TEXT}${text.slice(1)}`;
  }
  marked += json.slice(end);
  return JSON.parse(marked, (_, value: unknown) => {
    if (typeof value !== 'string') return value;
    return value.startsWith(TEXT) ? value.slice(TEXT.length) : BigInt(value.slice(DIGITS.length));
  });
}

/** Returns the numbers in a JSON text as written. */
export function numbersIn(json: string): readonly string[] {
  return [...tokensIn(json)].map(({ text }) => text).filter((text) => !text.startsWith('"'));
}

/** Whether an integer would change its digits as a `number`. */
export function losesDigits(number: string): boolean {
  return /^-?\d+$/.test(number) && number !== '-0' && String(Number(number)) !== number;
}

/** Converts to plain numbers, for validation only and never for sending. */
export function withPlainNumbers(value: unknown): unknown {
  if (typeof value === 'bigint') return Math.max(-Number.MAX_VALUE, Math.min(Number(value), Number.MAX_VALUE));
  if (Array.isArray(value)) return value.map(withPlainNumbers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withPlainNumbers(inner)]));
}

/** Serializes a result of `parseExact` like `JSON.stringify`, but with all digits. */
export function stringifyExact(value: unknown, indent = 0): string {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  // It contains a `bigint`, which `JSON.stringify` rejects.
  const mark = String(Math.random());
  const markDigits = (_: string, inner: unknown) => (typeof inner === 'bigint' ? `${mark}:${inner}` : inner);
  return JSON.stringify(value, markDigits, indent).replaceAll(new RegExp(`"${mark}:(-?\\d+)"`, 'g'), '$1');
}

const TEXT = 't';
const DIGITS = 'd';

/** Yields strings and numbers in order. Does not match strings with a regular expression, which fails on megabytes. */
function* tokensIn(json: string): Generator<{ readonly start: number; readonly text: string }> {
  const beginning = /["\d-]/g;
  const number = /-?\d[\d.eE+-]*/y;
  for (let found = beginning.exec(json); found !== null; found = beginning.exec(json)) {
    const start = found.index;
    number.lastIndex = start;
    const text = json[start] === '"' ? json.slice(start, stringEnd(json, start)) : (number.exec(json)?.[0] ?? '-');
    yield { start, text };
    beginning.lastIndex = start + text.length;
  }
}

function stringEnd(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** Whether the string is a property name: nothing else precedes a colon. */
function isPropertyName(json: string, end: number): boolean {
  let at = end;
  while (' \t\r\n'.includes(json[at] ?? '.')) at++;
  return json[at] === ':';
}
