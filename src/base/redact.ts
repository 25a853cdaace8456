/** Takes secrets out of a text, which is JSON, a part of it, or anything else. */
export type Redact = (text: string) => string;

/** What stands where a secret stood. */
const MASK = '***';
/** A shorter value would be found in half of all words, and is no secret worth the name. */
const MIN_SECRET_LENGTH = 6;

/**
 * Masks values that are known (in every notation that JSON and URLs have for them), whatever stands under a name that
 * promises a secret, and what looks like a key of a well-known kind. Rather one word too many than one too few.
 */
export function createRedact(secrets: Iterable<string>): Redact {
  const known = [...new Set(secrets)]
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    // The longer first: one may begin with another.
    .sort((a, b) => b.length - a.length)
    .map(toExpression);
  return (text) => {
    let masked = text;
    for (const expression of known) masked = masked.replace(expression, MASK);
    masked = maskMembers(masked);
    for (const [pattern, replacement] of PATTERNS) masked = masked.replace(pattern, replacement);
    return masked.replace(QUERY_MEMBER, (whole, name: string) =>
      isSecretName(name) ? `${whole.slice(0, name.length + 2)}${MASK}` : whole,
    );
  };
}

/** Whether a member, a header or a variable of this name is likely to hold a secret. */
export function isSecretName(name: string): boolean {
  const letters = name.toLowerCase().replace(/[^a-z]/g, '');
  return SECRET_NAME.test(letters) && !HARMLESS_NAME.test(letters);
}

/** By its end: `authorization_endpoint` and `token_type` are no secrets, `maxTokens` is a number of them. */
const SECRET_NAME =
  /(?:auth|authorization|authentication|password|passwd|pwd|passphrase|secret|secrets|credential|credentials|cookie|cookies|apikey|apikeys|privatekey|secretkey|accesskey|signingkey|encryptionkey|codeverifier|jwt|token)$/;
/** Tokens that only count or turn pages, and the working folder. */
const HARMLESS_NAME = /(?:(?:progress|page|next|continuation|cancellation|sync)token|^(?:old)?pwd)$/;

/** A secret as it may be written: plain, escaped by any JSON writer, inside JSON that is a string itself, or in a URL. */
function toExpression(secret: string): RegExp {
  const head = secret.slice(0, MAX_COMPARED_LENGTH).replace(/\\+/g, '\\');
  // What is longer is not compared to its end: all that follows its beginning goes.
  const tail = secret.length > MAX_COMPARED_LENGTH ? String.raw`[\s\S]*` : '';
  const inUrl = /[\ud800-\udfff]/.test(head) ? head : encodeURIComponent(head);
  const written = Array.from({ length: head.length }, (_, index) => toPattern(head.charAt(index))).join('');
  return new RegExp(`(?:${written}${inUrl === head ? '' : `|${inUrl.replace(/[^\w%]/g, '\\$&')}`})${tail}`, 'g');
}

const MAX_COMPARED_LENGTH = 1000;

function toPattern(char: string): string {
  if (/\w/.test(char)) return char;
  const code = char.charCodeAt(0).toString(16).padStart(4, '0');
  const hex = code.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  const short = SHORT_ESCAPES.get(char);
  const plain = char === '\\' ? ESCAPES : `\\u${code}`;
  return `(?:${plain}|${ESCAPES}(?:u${hex}${short === undefined ? '' : `|${short}`}))`;
}

/** JSON in JSON in JSON doubles them each time. Bounded, so that a flood of them costs no more than other text. */
const ESCAPES = String.raw`\\{1,15}`;
const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['/', '/'],
  ['\n', 'n'],
  ['\r', 'r'],
  ['\t', 't'],
]);

/** A name and its colon. The escapes before the closing quote tell how deep the JSON stands inside other JSON. */
const MEMBER_NAME = /"([^"\\]{1,100})(\\*)"\s*:\s*/g;

/** Masks strings, numbers and lists of strings. An object is not: its own names decide, and most often it is a schema. */
function maskMembers(text: string): string {
  let masked = '';
  let done = 0;
  for (const { 0: member, 1: name = '', 2: escapes = '', index } of text.matchAll(MEMBER_NAME)) {
    if (index < done || !isSecretName(name)) continue;
    const from = index + member.length;
    const end = endOfValue(text, from, escapes);
    if (end === from) continue;
    masked += `${text.slice(done, from)}${escapes}"${MASK}${escapes}"`;
    done = end;
  }
  return masked + text.slice(done);
}

/** Where the string, the number or the list of strings that begins here is over; `from` when it is none of them. */
function endOfValue(text: string, from: number, escapes: string): number {
  const quote = `${escapes}"`;
  if (text.startsWith(quote, from)) return endOfString(text, from + quote.length, escapes.length);
  if (text[from] === '[') return endOfList(text, from, escapes);
  const [number = ''] = /^-?\d[\d.eE+-]*/.exec(text.slice(from, from + MAX_COMPARED_LENGTH)) ?? [];
  return from + number.length;
}

function endOfList(text: string, from: number, escapes: string): number {
  const quote = `${escapes}"`;
  let at = from + 1;
  for (;;) {
    while (at < text.length && ' \n\r\t,'.includes(text.charAt(at))) at++;
    if (at >= text.length || text[at] === ']') return Math.min(at + 1, text.length);
    if (!text.startsWith(quote, at)) return from;
    at = endOfString(text, at + quote.length, escapes.length);
  }
}

/** The end of a text that was cut ends the string as well. */
function endOfString(text: string, from: number, depth: number): number {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 1)) {
    let start = at;
    while (start > from && text[start - 1] === '\\') start--;
    // A quote inside it has more escapes; escaped escapes before its end come in multiples.
    if ((at - start) % (2 * (depth + 1)) === depth) return at + 1;
  }
  return text.length;
}

/** Repetitions that may fail have a bound or one place to begin, so that a hostile text takes no longer than another. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer)\s{1,8}[\w.~+/=-]{6,}/gi, `$1 ${MASK}`],
  [/\b(basic)\s{1,8}(?:[\w+/]{20,}|[\w+/]{6,}=)={0,2}/gi, `$1 ${MASK}`],
  [/\b(?:sk|rk)[-_][\w-]{16,}/g, MASK],
  [/\b(?:gh[oprsu]_|github_pat_|glpat-|xox[abeoprs]-|xapp-|shpat_|dop_v1_)[\w-]{10,}/g, MASK],
  [/\b(?:npm|hf)_[A-Za-z\d]{30,}/g, MASK],
  [/\b(?:AKIA|ASIA)[A-Z\d]{16}\b/g, MASK],
  [/\bAIza[\w-]{30,}/g, MASK],
  [/(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]+)?/g, MASK],
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g, MASK],
  [/(:\/\/)[^\s/:@"\\]{0,200}:[^\s/@"\\]{1,200}@/g, `$1${MASK}@`],
];
const QUERY_MEMBER = /[?&]([\w.-]{1,60})=[^&#\s"\\]+/g;
