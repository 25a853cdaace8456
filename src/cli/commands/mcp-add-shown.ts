import { hideValue, showAddress, showArgument } from '../../config/shown-value.ts';
import { visibleWord } from '../../config/visible-text.ts';
import type { WrittenEntry } from '../../config/write-entry.ts';
import { isObject } from '../../wire/messages.ts';

/** An entry as written, without the values of headers and variables and without other secrets. */
export function maskEntry(entry: WrittenEntry): WrittenEntry {
  return Object.fromEntries(Object.entries(entry).map(([key, value]) => [key, maskMember(key, value)]));
}

function maskMember(key: string, value: unknown): unknown {
  switch (key) {
    case 'headers':
    case 'env':
      return isObject(value) ? mapValues(value, hideValue) : value;
    case 'oauth':
      return isObject(value) && 'client_secret' in value ? { ...value, client_secret: hideValue('') } : value;
    case 'args':
      return Array.isArray(value) ? maskArguments(value) : value;
    case 'url':
      return maskUrl(value);
    default:
      return value;
  }
}

/** Those that are no secrets stay exactly as they are. */
export function maskArguments(args: readonly unknown[]): readonly unknown[] {
  return args.map((arg, index) => {
    const shown = showArgument(arg, args[index - 1]);
    return typeof arg === 'string' && shown === visibleWord(arg) ? arg : shown;
  });
}

export function maskUrl(url: unknown): unknown {
  const shown = showAddress(url);
  if (typeof url !== 'string' || shown === visibleWord(url)) return url;
  return shown.startsWith('"') ? JSON.parse(shown) : shown;
}

function mapValues(values: Readonly<Record<string, unknown>>, change: (value: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}
