import { createRedact, isSecretName } from '../base/redact.ts';
import { visibleWord } from './visible-text.ts';

/** What stands where a secret would. */
const HIDDEN = '(value hidden)';

/**
 * A secret in the place of which only its form is shown: a variable, as written, is the user's own name for it.
 * The default of a variable is a value like any other.
 */
export function hideValue(value: unknown): string {
  if (typeof value !== 'string') return HIDDEN;
  const [, name, fallback] = /^\$\{([A-Za-z_]\w*)(:-.*)?\}$/s.exec(value) ?? [];
  if (name === undefined) return HIDDEN;
  return `\${${name}${fallback === undefined ? '' : `:-${HIDDEN}`}}`;
}

/** A value that is no secret as such. What in it looks like one is masked all the same. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return visibleWord(createRedact([])(value));
  if (Array.isArray(value)) return value.length === 0 ? '[]' : '[…]';
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0 ? '{}' : '{…}';
  return String(value);
}

/** One of `args`: behind a word like `--token`, or in `TOKEN=…`, stands a secret. */
export function showArgument(arg: unknown, before: unknown): string {
  if (typeof arg !== 'string') return showValue(arg);
  const isOption = arg.startsWith('-');
  if (typeof before === 'string' && before.startsWith('-') && isSecretName(before) && !isOption) return hideValue(arg);
  const [, name, value] = /^([^=\s]+)=(.*)$/s.exec(arg) ?? [];
  if (name === undefined || !isSecretName(name)) return showValue(arg);
  return `${visibleWord(name)}=${hideValue(value)}`;
}

/** Without whoever signs in by it, and without what its query says. */
export function showAddress(url: unknown): string {
  if (typeof url !== 'string') return showValue(url);
  const bare = url
    .replace(/(?<=:\/\/)[^/?#]*(?=@)/, HIDDEN)
    .replace(/([?&][^=&#]*=)([^&#]+)/g, (_, name: string, value: string) => `${name}${hideValue(value)}`);
  return showValue(bare);
}
