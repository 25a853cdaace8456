import { quoteIfNeeded } from '../../base/text/visible-text.ts';
import { isProjectLayer, projectFolder } from '../files/sources.ts';
import type { Origin } from '../server-entry.ts';
import { HEADER_ENV_KEYS, HEADER_KEYS, URL_KEYS } from './decode-transport.ts';

/** One user-facing setting of a server. */
export interface EntryKey {
  /** All spellings. If an entry has several, the first in this list applies. */
  readonly names: readonly string[];
  /** The kind of server that has this setting. */
  readonly transport: 'stdio' | 'http' | 'any';
  /**
   * The default to display if the entry omits the key; undefined if the key is required or its absence means nothing.
   */
  readonly defaultText: string | undefined;
}

/** Returns all keys in the order of docs/config.md; a test compares the two. */
export function entryKeys(origin: Origin): readonly EntryKey[] {
  const folder = isProjectLayer(origin) ? quoteIfNeeded(projectFolder(origin)) : 'where the gateway runs';
  return [
    key('stdio', undefined, 'command'),
    key('stdio', 'none', 'args'),
    key('stdio', folder, 'cwd'),
    key('stdio', 'none', 'env'),
    key('stdio', 'none', 'env_vars'),
    key('stdio', 'false', 'inherit_env'),
    key('stdio', 'ndjson', 'framing'),
    key('http', undefined, ...URL_KEYS),
    key('http', 'none', ...HEADER_KEYS),
    key('http', undefined, ...HEADER_ENV_KEYS),
    key('http', undefined, 'bearer_token_env_var'),
    key('http', 'none', 'oauth'),
    key('http', 'false', 'shareSignIn'),
    key('any', undefined, 'transport', 'type'),
    key('any', 'true', 'enabled'),
    key('any', undefined, 'disabled'),
    key('any', 'all', 'enabled_tools', 'enabledTools', 'includeTools', 'allowedTools'),
    key('any', 'none', 'disabled_tools', 'disabledTools', 'excludeTools'),
    key('any', GATEWAY_LIMIT, 'startup_timeout_ms', 'startup_timeout_sec'),
    key('any', GATEWAY_LIMIT, 'request_timeout_ms', 'tool_timeout_sec', 'timeout'),
    key('any', 'eager', 'start'),
    key('any', 'false', 'pin'),
    key('any', 'overlap', 'restart'),
    key('any', 'folder', 'share'),
    key('any', undefined, 'expand_variables'),
    key('any', undefined, 'imported_from'),
  ];
}

const GATEWAY_LIMIT = 'the limit of the gateway';

function key(transport: EntryKey['transport'], defaultText: string | undefined, ...names: readonly string[]): EntryKey {
  return { names, transport, defaultText };
}
