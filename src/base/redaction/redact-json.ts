import type { Redact } from './redact.ts';

/** JSON text with its secrets masked. It stays JSON, and is the same text when there are none. */
export function redactJson(json: string, redact: Redact): string {
  const masked = redact(json);
  return masked === json || isJson(masked) ? masked : redactStrings(json, redact);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // A secret that is very long, or looks like JSON itself, took more than the string in which it stood.
    return false;
  }
}

function redactStrings(json: string, redact: Redact): string {
  try {
    return JSON.stringify(JSON.parse(json), (_, value: unknown) => (typeof value === 'string' ? redact(value) : value));
  } catch {
    // Nested too deep to be written again: then nobody sees it.
    return '{}';
  }
}
