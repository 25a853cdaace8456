import { isAppError } from '../../../base/errors.ts';
import { switchboardDialect } from '../../../config/dialects/switchboard.ts';
import { decodeEntry } from '../../../config/entry/decode-entry.ts';
import { parseJsonText } from '../../../config/json/json-value.ts';
import { resolveHttp } from '../../../config/resolve/resolve-http.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';
import type { WrittenEntry } from '../../../config/write/write-entry.ts';
import { type ArgumentRules, usageError } from '../../arguments/parse-arguments.ts';

/** Throws USAGE for an entry that the config reader would reject, even if the entry is disabled. */
export function validateEntry(id: string, entry: WrittenEntry, rules: ArgumentRules): void {
  const text = JSON.stringify({ version: 1, mcp: { servers: { [id]: asEnabled(entry) } } });
  const origin = { layer: 'project', file: '', line: 0 } as const;
  try {
    for (const { value } of switchboardDialect.readServers(parseJsonText('', Buffer.from(text)))) {
      const described = decodeEntry(value, { id, origin, dialect: switchboardDialect });
      if (described.kind === 'on') checkConnection(described.entry);
    }
  } catch (error) {
    if (!isAppError(error)) throw error;
    const { message = error.message } = error.data ?? {};
    throw usageError(rules, String(message).replace(`mcp.servers.${id}.`, '').replace(' ().', '.'));
  }
}

/** An entry that only disables a server of another file needs neither a command nor a URL. */
function asEnabled(entry: WrittenEntry): WrittenEntry {
  if (entry['enabled'] === false && entry['command'] === undefined && entry['url'] === undefined) return entry;
  const { disabled: _, ...rest } = entry;
  return { ...rest, enabled: typeof entry['enabled'] === 'boolean' ? true : (entry['enabled'] ?? true) };
}

/** Throws for an entry that would fail on connect. Ignores the values of variables. */
function checkConnection(entry: ServerEntry): void {
  const { transport } = entry;
  if (transport.kind !== 'http' || entry.expandsVariables) return;
  const headers = { ...transport.headers, ...transport.headerEnv };
  const plain = { ...transport, headers, headerEnv: {}, bearerTokenEnv: undefined, oauth: undefined };
  resolveHttp({ ...entry, transport: plain }, {}, { platform: process.platform });
}
