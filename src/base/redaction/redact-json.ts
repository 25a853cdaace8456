import { isJson } from '../text/is-json.ts';
import type { Redact } from './redact.ts';

/** JSON text with its secrets masked. It stays JSON, and is the same text when there are none. */
export function redactJson(json: string, redact: Redact): string {
  const masked = redact(json);
  // The mask of a very long secret, or of one that looks like JSON, can replace more than the string around it.
  return masked === json || isJson(masked) ? masked : redactStrings(json, redact);
}

function redactStrings(json: string, redact: Redact): string {
  try {
    return JSON.stringify(JSON.parse(json), (_, value: unknown) => (typeof value === 'string' ? redact(value) : value));
  } catch {
    // Nested too deep to be written again: then nobody sees it.
    return '{}';
  }
}
