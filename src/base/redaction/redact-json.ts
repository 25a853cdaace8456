import { isJson } from '../text/is-json.ts';
import type { Redact } from './redact.ts';

/** Masks the secrets in JSON text. The result is still JSON, and the same text when there are none. */
export function redactJson(json: string, redact: Redact): string {
  const masked = redact(json);
  // The mask of a very long secret, or of one that looks like JSON, can replace more than the string around it.
  return masked === json || isJson(masked) ? masked : redactStrings(json, redact);
}

function redactStrings(json: string, redact: Redact): string {
  try {
    return JSON.stringify(JSON.parse(json), (_, value: unknown) => (typeof value === 'string' ? redact(value) : value));
  } catch {
    // Too deeply nested to be serialized again: everything is dropped.
    return '{}';
  }
}
