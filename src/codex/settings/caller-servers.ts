import { isObject, type JsonObject } from '../../wire/messages.ts';

type Servers = Readonly<Record<string, JsonObject>>;

/** MCP server settings that a caller may change freely. Otherwise a caller may only restrict what the user allows. */
const HARMLESS: ReadonlySet<string> = new Set(['required', 'startup_timeout_sec', 'tool_timeout_sec']);

/** Returns the name of a server for which the caller's settings allow more than one of the user's configurations. */
export function findWidenedServer(asked: JsonObject, configs: readonly Servers[]): string | undefined {
  return Object.entries(asked).find(([name, server]) => {
    if (!isObject(server)) return true;
    const own = configs.map((servers) => (Object.hasOwn(servers, name) ? (servers[name] ?? {}) : {}));
    return Object.entries(server).some(([key, value]) => !own.every((before) => isNarrower(key, value, before)));
  })?.[0];
}

function isNarrower(key: string, value: unknown, own: JsonObject): boolean {
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
