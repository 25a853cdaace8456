import { maskArgument, maskSecret, maskUrlSecrets } from '../../../config/secrets/masked-value.ts';
import type { WrittenEntry } from '../../../config/write/write-entry.ts';
import { isObject } from '../../../wire/messages.ts';

/** Masks the values of headers and variables and other secrets of an entry. */
export function maskEntry(entry: WrittenEntry): WrittenEntry {
  return Object.fromEntries(Object.entries(entry).map(([key, value]) => [key, maskMember(key, value)]));
}

function maskMember(key: string, value: unknown): unknown {
  switch (key) {
    case 'headers':
    case 'env':
      return isObject(value) ? mapValues(value, maskSecret) : value;
    case 'oauth':
      return isObject(value) && 'client_secret' in value ? { ...value, client_secret: maskSecret('') } : value;
    case 'args':
      return Array.isArray(value) ? maskArguments(value) : value;
    case 'url':
      return maskUrl(value);
    default:
      return value;
  }
}

export function maskArguments(args: readonly unknown[]): readonly unknown[] {
  return args.map((arg, index) => (typeof arg === 'string' ? maskArgument(arg, args[index - 1]) : arg));
}

export function maskUrl(url: unknown): unknown {
  return typeof url === 'string' ? maskUrlSecrets(url) : url;
}

function mapValues(values: Readonly<Record<string, unknown>>, change: (value: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}
