import { neutralize } from '../text/safe-text.ts';
import { MAX_COMPARED_LENGTH, secretPattern, unescapeWordCharacters } from './secret-pattern.ts';

/** Masks secrets in a text, which may be JSON, a part of it, or anything else. */
export type Redact = (text: string) => string;

/** Replaces a secret. */
const MASK = '***';
/** A shorter value would match ordinary words, and is too short to be a real secret. */
const MIN_SECRET_LENGTH = 6;

/** Three levels of masking. */
export interface Redactor {
  /** For people: masks known values, values under names that suggest a secret, and well-known kinds of keys. */
  readonly redact: Redact;
  /** For programs: masks only known values. A guess might break data that the program needs, such as a URL to open. */
  readonly redactValues: Redact;
  /**
   * For names and descriptions of tools, which must stay readable: masks only known values that are not ordinary words.
   * A variable may have the value `search`, and so may the name of a tool.
   */
  readonly redactTokens: Redact;
}

/**
 * Masks known values (in every notation of JSON, URLs, HTML, logs, base64 and hexadecimal), values under names that
 * suggest a secret, and texts that look like a well-known kind of key. It prefers masking too much to masking too
 * little.
 */
export function createRedact(secrets: Iterable<string>): Redact {
  return createRedactor(secrets).redact;
}

export function createRedactor(secrets: Iterable<string>): Redactor {
  const known = [...secrets];
  const redactValues = createValueRedactor(known);
  let tokens: Redact | undefined;
  return {
    redactValues,
    redact: (text) => maskLikelySecrets(redactValues(text)),
    redactTokens(text) {
      tokens ??= createValueRedactor(known.filter((secret) => !WORDS.test(secret)));
      return tokens(text);
    },
  };
}

/** Letters, and the characters that join words, paths and addresses. */
const WORDS = /^[\p{L}\s_.,:/-]*$/u;

function createValueRedactor(secrets: Iterable<string>): Redact {
  const known = [...new Set(secrets)]
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    // Longest first, because one secret may begin with another.
    .sort((a, b) => b.length - a.length);
  const patterns = known.map(secretPattern);
  const mask = (text: string) => patterns.reduce((masked, pattern) => masked.replace(pattern, MASK), text);
  return (text) => {
    if (known.length === 0) return text;
    // Display code removes invisible characters, which would join the two halves of a secret again.
    const plain = unescapeWordCharacters(neutralize(text.replace(LINE_SEPARATORS, ' '), { multiline: true }));
    // Escape sequences and colors that hide nothing stay as they are.
    const masked = plain === text || mask(plain) === plain ? mask(text) : mask(plain);
    return maskTruncatedStart(masked, known);
  };
}

/** JSON allows them in strings. Display code turns them into line breaks, which JSON does not allow there. */
const LINE_SEPARATORS = /[\u0085\u2028\u2029]/g;

/** Masks the end of a secret at the start of the text: the text may be the end of a truncated line. */
function maskTruncatedStart(text: string, known: readonly string[]): string {
  let masked = text;
  for (const secret of known) {
    const least = Math.max(MIN_TRUNCATED_LENGTH, Math.ceil(secret.length / 3));
    for (let length = Math.min(secret.length - 1, masked.length); length >= least; length--) {
      if (masked.startsWith(secret.slice(-length))) {
        masked = `${MASK}${masked.slice(length)}`;
        break;
      }
    }
  }
  return masked;
}

const MIN_TRUNCATED_LENGTH = 8;

function maskLikelySecrets(text: string): string {
  let masked = maskMembers(text);
  for (const [pattern, replacement] of PATTERNS) masked = masked.replace(pattern, replacement);
  return masked.replace(QUERY_MEMBER, (whole, name: string) =>
    isSecretName(name) ? `${whole.slice(0, name.length + 2)}${MASK}` : whole,
  );
}

/** Returns whether a member, a header, a variable or an option (`--key`) of this name is likely to hold a secret. */
export function isSecretName(name: string): boolean {
  const letters = name.toLowerCase().replace(/[^a-z]/g, '');
  const isSecret = SECRET_NAME.test(letters) || SECRET_VARIABLE.test(name) || endsWithSecretWord(name);
  return isSecret && !NOT_SECRET_NAME.test(letters);
}

/** Short words count only as whole words: `DB_PASS` and `--pat`, not `--compass` and `--path`. */
function endsWithSecretWord(name: string): boolean {
  const words = name.replace(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase();
  const last = words.split(/[^a-z]+/).findLast((word) => word !== '');
  return last === 'pass' || last === 'pat' || (last === 'key' && name.startsWith('-'));
}

/** Unlike a JSON member, an environment variable with such a name nearly always holds a secret. */
const SECRET_VARIABLE = /^[A-Z][A-Z\d_]*_KEY$/;

/** Matches the end of a name: `authorization_endpoint` and `token_type` hold no secret, and `maxTokens` is a count. */
const SECRET_NAME =
  /(?:auth|authorization|authentication|password|passwd|pwd|passphrase|secret|secrets|credential|credentials|cookie|cookies|apikey|apikeys|privatekey|secretkey|accesskey|signingkey|encryptionkey|codeverifier|jwt|token)$/;
/** Counters and page cursors called tokens, public keys, and the working folder. */
const NOT_SECRET_NAME = /(?:(?:progress|page|next|continuation|cancellation|sync)token|publickey|^(?:old)?pwd)$/;

/** A name and its colon. The escapes before the closing quote show how deep the JSON is nested inside JSON strings. */
const MEMBER_NAME = /"([^"\\]{1,100})(\\*)"\s*:\s*/g;

/** Masks strings, numbers and lists of strings, but not objects: their own names decide, and most are schemas. */
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

/** Returns where the string, number or list of strings at `from` ends; `from` itself for any other value. */
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

/** Returns where the string ends. In a truncated text, the end of the text also ends the string. */
function endOfString(text: string, from: number, depth: number): number {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 1)) {
    let start = at;
    while (start > from && text[start - 1] === '\\') start--;
    // A quote inside the string has more escapes. Escaped backslashes before the end come in multiples.
    if ((at - start) % (2 * (depth + 1)) === depth) return at + 1;
  }
  return text.length;
}

/** Each repetition that can fail is bounded or has one start, so that hostile text takes no longer than other text. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer)\s{1,8}[\w.~+/=-]{6,}/gi, `$1 ${MASK}`],
  [/\b(basic)\s{1,8}(?:[\w+/]{20,}|[\w+/]{6,}=)={0,2}/gi, `$1 ${MASK}`],
  [/\b(?:sk|rk)[-_][\w-]{16,}/g, MASK],
  [/\b(?:gh[oprsu]_|github_pat_|glpat-|xox[abeoprs]-|xapp-|shpat_|dop_v1_)[\w-]{10,}/g, MASK],
  [/\b(?:npm|hf)_[A-Za-z\d]{30,}/g, MASK],
  [/\bswb_[\da-f]{12}_[\da-f]{10,}/g, MASK],
  [/\b(?:AKIA|ASIA)[A-Z\d]{16}\b/g, MASK],
  [/\bAIza[\w-]{30,}/g, MASK],
  [/(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]+)?/g, MASK],
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g, MASK],
  [/(:\/\/)[^\s/:@"\\]{0,200}:[^\s/@"\\]{1,200}@/g, `$1${MASK}@`],
];
const QUERY_MEMBER = /[?&]([\w.-]{1,60})=[^&#\s"\\]+/g;
