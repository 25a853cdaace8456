/**
 * Returns a pattern that matches one secret in every notation of JSON, URLs, HTML, logs, base64 and hexadecimal: plain,
 * escaped by any JSON writer, inside JSON that is itself a string, percent-encoded in whole or in part, also twice, and
 * encoded alone or inside a longer text. The pattern ignores case, because headers may be case-folded, unless the value
 * could be an ordinary word.
 */
export function secretPattern(secret: string): RegExp {
  const head = secret.slice(0, MAX_COMPARED_LENGTH).replace(/\\+/g, '\\');
  // Only the start of a longer secret is compared; everything after it is masked.
  const tail = secret.length > MAX_COMPARED_LENGTH ? String.raw`[\s\S]*` : '';
  const written = [...head].map(characterPattern).join('');
  const forms = [written, ...truncatedForm(head), ...base64Forms(head), hexForm(head)];
  return new RegExp(`(?:${forms.join('|')})${tail}`, looksLikeToken(secret) ? 'gi' : 'g');
}

function looksLikeToken(text: string): boolean {
  return /\d/.test(text) && /[a-z]/i.test(text);
}

/**
 * Returns a pattern for a truncated secret, because servers and this program truncate long texts. It matches the start
 * of a token and the rest of that word. A value that might be a word, a path or an address has no such pattern, because
 * its start would also match harmless texts.
 */
function truncatedForm(secret: string): readonly string[] {
  if (/^(?:[a-z][a-z\d+.-]*:\/\/|[/~.])/i.test(secret)) return [];
  const least = Math.max(MIN_TRUNCATED_LENGTH, Math.ceil(secret.length / 3));
  const ends = Array.from({ length: Math.max(0, secret.length - least) }, (_, at) => least + at);
  const end = ends.find((at) => looksLikeToken(secret.slice(0, at)));
  if (end === undefined) return [];
  const beginning = [...secret.slice(0, end)].map(characterPattern).join('');
  return [`${beginning}[^\\s"'<>\\\\,;)}\\]]*`];
}

const MIN_TRUNCATED_LENGTH = 8;

/** Decodes escaped letters and digits. JSON and URLs allow such escapes, but they are too rare for the patterns. */
export function unescapeWordCharacters(text: string): string {
  return text.replace(ESCAPED_ASCII, (written, escaped: string | undefined, percent: string | undefined) => {
    const char = String.fromCharCode(Number.parseInt(escaped ?? percent ?? '', 16));
    return /\w/.test(char) ? char : written;
  });
}

const ESCAPED_ASCII = /\\{1,15}(?:u00|x)([2-7][\da-fA-F])|%(?:25){0,3}([2-7][\da-fA-F])/g;

export const MAX_COMPARED_LENGTH = 1000;

/** Each level of nested JSON doubles the backslashes. Bounded, so that a flood of them is as cheap as other text. */
const ESCAPES = String.raw`\\{1,15}`;
const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['/', '/'],
  ['\n', 'n'],
  ['\r', 'r'],
  ['\t', 't'],
]);

function characterPattern(char: string): string {
  if (/\w/.test(char)) return char;
  const units = Array.from({ length: char.length }, (_, at) => char.charCodeAt(at).toString(16).padStart(4, '0'));
  const plain = char === '\\' ? ESCAPES : units.map((unit) => `\\u${unit}`).join('');
  const escaped = units.map((unit) => `${ESCAPES}u${anyCase(unit)}`).join('');
  const short = SHORT_ESCAPES.get(char);
  const shortEscape = short === undefined ? [] : [`${ESCAPES}${short}`];
  const forms = [plain, escaped, ...shortEscape, ...urlForms(char), ...logForms(char), ...htmlForms(char)];
  return `(?:${forms.join('|')})`;
}

/** `\x22`, as web servers and programming languages write it. */
function logForms(char: string): readonly string[] {
  const code = char.codePointAt(0) ?? 0;
  return code > 0xff ? [] : [`${ESCAPES}x${anyCase(code.toString(16).padStart(2, '0'))}`];
}

function htmlForms(char: string): readonly string[] {
  const code = char.codePointAt(0) ?? 0;
  const name = HTML_NAMES.get(char);
  return [
    `&#0{0,5}${code};`,
    `&#[xX]0{0,5}${anyCase(code.toString(16))};`,
    ...(name === undefined ? [] : [`&${name};`]),
  ];
}

const HTML_NAMES: ReadonlyMap<string, string> = new Map([
  ['"', 'quot'],
  ['&', 'amp'],
  ["'", 'apos'],
  ['<', 'lt'],
  ['>', 'gt'],
]);

function urlForms(char: string): readonly string[] {
  // A lone surrogate has no form in a URL.
  if (/^[\ud800-\udfff]$/.test(char)) return [];
  const bytes = [...Buffer.from(char)]
    .map((byte) => `%(?:25){0,3}${anyCase(byte.toString(16).padStart(2, '0'))}`)
    .join('');
  return char === ' ' ? [bytes, '\\+'] : [bytes];
}

function anyCase(hex: string): string {
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

/** Returns the middle of the secret's base64 for each of the three offsets at which it may begin in a longer text. */
function base64Forms(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const forms = [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    // The first and the last characters also hold bits of the neighboring bytes.
    const first = Math.ceil((before * 4) / 3);
    const last = (before + bytes.length) % 3 === 0 ? encoded.length : encoded.length - 1;
    return encoded.slice(first, last);
  });
  return forms
    .filter((form) => form.length >= MIN_BASE64_LENGTH)
    .map((form) => form.slice(0, MAX_BASE64_LENGTH))
    .map((form) => form.replace(/\+/g, '(?:[+-]|%2[bB])').replace(/\//g, `(?:(?:${ESCAPES})?[/]|_|%2[fF])`))
    .map((form) => `${form}[\\w+/=%-]*`);
}

function hexForm(secret: string): string {
  return `${anyCase(Buffer.from(secret).toString('hex').slice(0, MAX_HEX_LENGTH))}[\\da-fA-F]*`;
}

const MAX_HEX_LENGTH = 32;

/** A shorter piece of base64 might be a word. */
const MIN_BASE64_LENGTH = 7;
/** How much is compared. The rest is masked too, whether or not it was truncated. */
const MAX_BASE64_LENGTH = 16;
