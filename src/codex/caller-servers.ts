import { isObject } from '../wire/messages.ts';

type Members = Readonly<Record<string, unknown>>;

/** Of an MCP server a caller may change how long it is waited for, and take away what the user has given. */
const HARMLESS: ReadonlySet<string> = new Set(['required', 'startup_timeout_sec', 'tool_timeout_sec']);

/** The name of a server of which a caller's settings make more than the user's own config does. */
export function widerServer(asked: Members, users: Readonly<Record<string, Members>>): string | undefined {
  return Object.entries(asked).find(([name, server]) => {
    const own = Object.hasOwn(users, name) ? (users[name] ?? {}) : {};
    return !isObject(server) || Object.entries(server).some(([key, value]) => !isNarrower(key, value, own));
  })?.[0];
}

function isNarrower(key: string, value: unknown, own: Members): boolean {
  if (HARMLESS.has(key)) return true;
  const before = Array.isArray(own[key]) ? own[key] : undefined;
  const after = Array.isArray(value) ? value : undefined;
  switch (key) {
    case 'enabled':
      return value === false;
    case 'enabled_tools':
      return after !== undefined && (before === undefined || after.every((tool) => before.includes(tool)));
    case 'disabled_tools':
      return after !== undefined && (before === undefined || before.every((tool) => after.includes(tool)));
  }
  return false;
}
