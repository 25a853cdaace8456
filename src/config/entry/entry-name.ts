/**
 * Returns why a name in another program's file is invalid; undefined if it is usable. Odd names are sanitized
 * elsewhere.
 */
export function checkForeignName(name: string): string | undefined {
  if (name.trim() === '') return 'a server needs a name';
  if (RESERVED.has(name)) return 'this name is reserved: choose another';
  if (/[/\\]/.test(name) || name === '.' || name === '..') return 'a name may not look like a path: no / and no \\';
  return /\p{Cc}/u.test(name) ? 'a name may not contain control characters' : undefined;
}

/** Checks a name in our own config, which is strict. */
export function checkOwnName(name: string): string | undefined {
  if (RESERVED.has(name)) return 'this name is reserved: choose another';
  if (/^[a-zA-Z0-9_-]{1,64}$/.test(name)) return undefined;
  return 'an id must have 1 to 64 characters: letters, digits, _ or -';
}

/** Names with a special meaning on every object. */
const RESERVED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Returns the last part of a command without its extension: `server` for `/opt/bin/server.py`. */
export function commandName(command: string): string {
  const base = command.split(/[/\\]/).findLast((part) => part !== '') ?? '';
  // `python3.11` has no extension.
  return base.replace(/(?<=.)\.[A-Za-z][A-Za-z0-9]*$/, '');
}
