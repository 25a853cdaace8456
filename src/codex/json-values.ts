import { isObject, type JsonObject } from '../wire/messages.ts';

/** Read values of JSON that another program wrote. A value of another type counts as missing. */

export function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function stringsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((member) => typeof member === 'string') : [];
}

export function objectsOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
