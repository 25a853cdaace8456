import { createRedact, isSecretName } from '../../base/redaction/redact.ts';
import { escapeInvisible, quoteIfNeeded } from '../../base/text/visible-text.ts';
import { type NamedArgument, readNamedArgument } from './named-argument.ts';
import { findSecrets } from './secrets-in-text.ts';

/** Placeholder for a secret. */
const HIDDEN = '(value hidden)';

/**
 * Masks a secret but keeps its form: a variable stays as written, because it is the user's own name for the secret. The
 * default of a variable is masked like any other value.
 */
export function maskSecret(value: unknown): string {
  if (typeof value !== 'string') return HIDDEN;
  const [, name, fallback] = /^\$\{([A-Za-z_]\w*)(:-.*)?\}$/s.exec(value) ?? [];
  if (name === undefined) return HIDDEN;
  return `\${${name}${fallback === undefined ? '' : `:-${HIDDEN}`}}`;
}

/** Formats a value that is no secret as a whole, and masks the parts that look like one. */
export function formatValue(value: unknown): string {
  if (typeof value === 'string') return quoteIfNeeded(createRedact([])(value));
  if (Array.isArray(value)) return value.length === 0 ? '[]' : '[…]';
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0 ? '{}' : '{…}';
  return String(value);
}

/**
 * Formats one of `args`. Masks the value after an option such as `--token`, in `TOKEN=…` or in a header, also inside a
 * script.
 */
export function formatArgument(arg: unknown, before: unknown): string {
  const parts = findSecretArgument(arg, before);
  if (parts !== undefined) return `${escapeInvisible(parts.head)}${maskSecret(parts.value)}`;
  return typeof arg === 'string' ? quoteIfNeeded(maskText(arg)) : formatValue(arg);
}

/** Masks an argument without quoting it, for a program that reads the result. */
export function maskArgument(arg: string, before: unknown): string {
  const parts = findSecretArgument(arg, before);
  return parts === undefined ? maskText(arg) : `${parts.head}${maskSecret(parts.value)}`;
}

/** Returns the secrets in an argument. */
export function secretsInArgument(arg: string, before: unknown): readonly string[] {
  const parts = findSecretArgument(arg, before);
  return [...(parts === undefined ? [] : [parts.value]), ...findSecrets(arg).map(({ value }) => value)];
}

function maskText(text: string): string {
  const redact = createRedact([]);
  let masked = '';
  let from = 0;
  for (const { start, end, value } of findSecrets(text)) {
    masked += `${redact(text.slice(from, start))}${maskSecret(value)}`;
    from = end;
  }
  return masked + redact(text.slice(from));
}

/** Returns the private parts of a URL: its user name, its password and the values of its query. */
export function secretsInUrl(url: string): readonly string[] {
  if (!URL.canParse(url)) return [];
  const { username, password, searchParams } = new URL(url);
  return [username, password, ...searchParams.values()].filter((value) => value !== '').map(decoded);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // The percent-encoding is invalid, so the text also appears elsewhere as written.
    return text;
  }
}

/** Returns the named argument if its value as a whole is a secret. */
function findSecretArgument(arg: unknown, before: unknown): NamedArgument | undefined {
  const named = typeof arg === 'string' ? readNamedArgument(arg, before) : undefined;
  return named !== undefined && (named.isHeader || isSecretName(named.name)) ? named : undefined;
}

/** Formats a URL without its credentials and the values of its query. */
export function formatUrl(url: unknown): string {
  return typeof url === 'string' ? quoteIfNeeded(maskUrlSecrets(url)) : formatValue(url);
}

export function maskUrlSecrets(url: string): string {
  const [, place = '', query = '', rest = ''] = /^([^?#]*)(\?[^#]*)?(.*)$/s.exec(url) ?? [];
  const redact = createRedact([]);
  // A masked value is not redacted again: the redactor would take the placeholder for a secret.
  const members = query.split('&').map((member) => {
    const at = member.indexOf('=') + 1;
    return at === 0 || at === member.length ? redact(member) : `${member.slice(0, at)}${maskSecret(member.slice(at))}`;
  });
  return `${redact(place.replace(/(?<=:\/\/)[^/]*(?=@)/, HIDDEN))}${members.join('&')}${redact(rest)}`;
}
