import { createNamePattern } from './name-pattern.ts';

/**
 * Matches ids against the part before a dot of a pattern: `github.*` and `git*.create` name servers, `create*` does
 * not.
 */
export function createServerNamePattern(pattern: string): (id: string) => boolean {
  const names = pattern.split('.').map((_, count, parts) => parts.slice(0, count).join('.'));
  const fits = names.filter((name) => name !== '').map(createWholeNamePattern);
  return (id) => fits.some((isFitting) => isFitting(id));
}

function createWholeNamePattern(name: string): (id: string) => boolean {
  if (!/[*?]/.test(name)) return (id) => id.toLowerCase() === name.toLowerCase();
  const matches = createNamePattern(name);
  return (id) => matches([id]);
}
