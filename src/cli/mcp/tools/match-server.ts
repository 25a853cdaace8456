import { createMatch } from './name-pattern.ts';

/** Whether an id is what stands before a dot of a pattern: `github.*` and `git*.create` name servers, `create*` does not. */
export function createServerMatch(pattern: string): (id: string) => boolean {
  const names = pattern.split('.').map((_, count, parts) => parts.slice(0, count).join('.'));
  const fits = names.filter((name) => name !== '').map(createWholeMatch);
  return (id) => fits.some((isFitting) => isFitting(id));
}

function createWholeMatch(name: string): (id: string) => boolean {
  if (!/[*?]/.test(name)) return (id) => id.toLowerCase() === name.toLowerCase();
  const matches = createMatch(name);
  return (id) => matches([id]);
}
