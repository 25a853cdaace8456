import { isSecretName } from '../../base/redaction/redact.ts';

/** A secret inside a longer text, such as the script of `sh -c`. */
export interface FoundSecret {
  readonly start: number;
  readonly end: number;
  readonly value: string;
}

/**
 * Finds values after a name that suggests a secret: `API_KEY=…`, `--token …`, `X-Api-Key: …`, quoted or not. In order.
 */
export function findSecrets(text: string): readonly FoundSecret[] {
  const found: FoundSecret[] = [];
  const names = new RegExp(NAME, 'g');
  for (let match = names.exec(text); match !== null; match = names.exec(text)) {
    const [, option, variable = ''] = match;
    if (!isSecretName(option ?? variable)) continue;
    const secret = readValue(text, names.lastIndex);
    if (secret === undefined) continue;
    found.push(secret);
    names.lastIndex = secret.end;
  }
  return found;
}

/**
 * A blank may separate an option from its value. Does not match after `?` or `&`: URLs are masked by their own rules.
 */
const NAME =
  /(?<![?&\w.-])(?:(-{1,2}[A-Za-z_][\w.-]{0,100})(?:=|:[ \t]{0,8}|[ \t]{1,8})|([A-Za-z_][\w.-]{0,100})(?:=|:[ \t]{0,8}))/;

/** Returns the value without its quotes; undefined if there is none, or if another option follows. */
function readValue(text: string, at: number): FoundSecret | undefined {
  const value = new RegExp(VALUE, 'y');
  value.lastIndex = at;
  const [whole = '', double, single, bare] = value.exec(text) ?? [];
  const inner = double ?? single ?? withCredentials(text, at, bare);
  if (inner === '' || inner.startsWith('-')) return undefined;
  const start = at + (bare === undefined && whole !== '' ? 1 : 0);
  return { start, end: start + inner.length, value: inner };
}

/** Includes the credentials after a scheme such as `Bearer`, which precedes the secret in a header. */
function withCredentials(text: string, at: number, word = ''): string {
  if (!SCHEME.test(word)) return word;
  const [rest = ''] =
    /^[ \t]{1,8}[^\s;&|"'`()<>]+/.exec(text.slice(at + word.length, at + word.length + MAX_LENGTH)) ?? [];
  return word + rest;
}

const SCHEME = /^(?:bearer|basic|digest|token|apikey)$/i;
const MAX_LENGTH = 10_000;

const VALUE = /"((?:[^"\\]|\\.)*)|'([^']*)|([^\s;&|"'`()<>]+)/;
