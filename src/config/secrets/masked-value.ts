import { createRedact, isSecretName } from '../../base/redaction/redact.ts';
import { escapeInvisible, quoteIfNeeded } from '../../base/text/visible-text.ts';
import { type NamedArgument, readNamedArgument } from './named-argument.ts';
import { findSecrets } from './secrets-in-text.ts';

/** What stands where a secret would. */
const HIDDEN = '(value hidden)';

/**
 * A secret in the place of which only its form is shown: a variable, as written, is the user's own name for it.
 * The default of a variable is a value like any other.
 */
export function maskSecret(value: unknown): string {
  if (typeof value !== 'string') return HIDDEN;
  const [, name, fallback] = /^\$\{([A-Za-z_]\w*)(:-.*)?\}$/s.exec(value) ?? [];
  if (name === undefined) return HIDDEN;
  return `\${${name}${fallback === undefined ? '' : `:-${HIDDEN}`}}`;
}

/** A value that is no secret as such. What in it looks like one is masked all the same. */
export function formatValue(value: unknown): string {
  if (typeof value === 'string') return quoteIfNeeded(createRedact([])(value));
  if (Array.isArray(value)) return value.length === 0 ? '[]' : '[…]';
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0 ? '{}' : '{…}';
  return String(value);
}

/** One of `args`: behind a word like `--token`, in `TOKEN=…` or in a header stands a secret, also inside a script. */
export function formatArgument(arg: unknown, before: unknown): string {
  const parts = findSecretArgument(arg, before);
  if (parts !== undefined) return `${escapeInvisible(parts.head)}${maskSecret(parts.value)}`;
  return typeof arg === 'string' ? quoteIfNeeded(maskText(arg)) : formatValue(arg);
}

/** The same for a program that reads it: nothing is quoted. */
export function maskArgument(arg: string, before: unknown): string {
  const parts = findSecretArgument(arg, before);
  return parts === undefined ? maskText(arg) : `${parts.head}${maskSecret(parts.value)}`;
}

/** The secrets that an argument holds as such. */
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

/** What an address says to nobody but its server: who signs in by it, and the values of its query. */
export function secretsInUrl(url: string): readonly string[] {
  if (!URL.canParse(url)) return [];
  const { username, password, searchParams } = new URL(url);
  return [username, password, ...searchParams.values()].filter((value) => value !== '').map(decoded);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // It is written as nobody encodes: then it is also heard so.
    return text;
  }
}

/** Undefined when it holds no secret as such. */
function findSecretArgument(arg: unknown, before: unknown): NamedArgument | undefined {
  const named = typeof arg === 'string' ? readNamedArgument(arg, before) : undefined;
  return named !== undefined && (named.isHeader || isSecretName(named.name)) ? named : undefined;
}

/** Without whoever signs in by it, and without what its query says. */
export function formatUrl(url: unknown): string {
  return typeof url === 'string' ? quoteIfNeeded(maskUrlSecrets(url)) : formatValue(url);
}

export function maskUrlSecrets(url: string): string {
  const [, place = '', query = '', rest = ''] = /^([^?#]*)(\?[^#]*)?(.*)$/s.exec(url) ?? [];
  const redact = createRedact([]);
  // Not masked once more: what stands for a value would be taken for one.
  const members = query.split('&').map((member) => {
    const at = member.indexOf('=') + 1;
    return at === 0 || at === member.length ? redact(member) : `${member.slice(0, at)}${maskSecret(member.slice(at))}`;
  });
  return `${redact(place.replace(/(?<=:\/\/)[^/]*(?=@)/, HIDDEN))}${members.join('&')}${redact(rest)}`;
}
