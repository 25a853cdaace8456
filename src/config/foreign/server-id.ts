import { checkOwnName } from '../entry/entry-name.ts';

/** Returns the id in our config for a name in another program's file. A valid name stays as it is. */
export function toServerId(name: string): string {
  if (checkOwnName(name) === undefined) return name;
  const cleaned = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64);
  return checkOwnName(cleaned) === undefined ? cleaned : 'server';
}
