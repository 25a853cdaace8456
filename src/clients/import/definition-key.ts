import type { WrittenEntry } from '../../config/write/write-entry.ts';
import { isObject } from '../../wire/messages.ts';

/**
 * Returns a text that is equal for two entries that reach the same server with the same tools, however they are
 * written. Names, timeouts and whether the entry is enabled do not count. The text contains secrets.
 */
export function definitionKey(entry: WrittenEntry): string {
  const { command, args = [], cwd, inherit_env, framing, url, oauth } = entry;
  const { env, inherited } = splitEnvironment(entry);
  const tools = [entry['enabled_tools'], entry['disabled_tools'] ?? []].map(sorted);
  const stdio = [command, args, cwd, env, inherited, inherit_env ?? false, framing ?? 'ndjson'];
  const http = [url, ...headersOf(entry), oauth];
  return JSON.stringify([url === undefined ? stdio : http, tools], sortKeys);
}

function sorted(list: unknown): unknown {
  return Array.isArray(list) ? list.map(String).sort() : list;
}

/** `"A": "${A}"` and `env_vars: ["A"]` mean the same. */
function splitEnvironment(entry: WrittenEntry): { readonly env: object; readonly inherited: unknown } {
  const { env, env_vars: names } = entry;
  const members = isObject(env) ? Object.entries(env) : [];
  const isInherited = ([name, value]: readonly [string, unknown]) => expands(entry) && value === `\${${name}}`;
  const inherited = members.filter(isInherited).map(([name]) => name);
  return {
    env: Object.fromEntries(members.filter((member) => !isInherited(member))),
    inherited: sorted([...new Set([...(Array.isArray(names) ? names : []), ...inherited])]),
  };
}

/** Brings the three ways to name a variable in a header to one form. */
function headersOf(entry: WrittenEntry): readonly unknown[] {
  const { headers, header_env: fromVariables, bearer_token_env_var: bearer } = entry;
  const all = new Map<string, unknown>();
  for (const [name, value] of isObject(headers) ? Object.entries(headers) : [])
    all.set(name.toLowerCase(), expands(entry) ? value : ['literal', value]);
  for (const [name, variable] of isObject(fromVariables) ? Object.entries(fromVariables) : [])
    all.set(name.toLowerCase(), `\${${String(variable)}}`);
  if (bearer !== undefined) all.set('authorization', `Bearer \${${String(bearer)}}`);
  return [Object.fromEntries([...all].map(([name, value]) => [name, plain(value)]))];
}

/** A literal text without variables means the same in both kinds of entries. */
function plain(value: unknown): unknown {
  const [kind, text] = Array.isArray(value) ? value : [];
  return kind === 'literal' && typeof text === 'string' && !text.includes('${') ? text : value;
}

function expands(entry: WrittenEntry): boolean {
  return entry['expand_variables'] === true;
}

function sortKeys(_key: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
