import type { Dialect } from '../dialects/dialect.ts';
import { recognizeDialect } from '../dialects/registry.ts';
import { readBoolean, readNonEmptyString, readOneOf, readStringMap, readStrings } from '../json/decode.ts';
import type { JsonValue } from '../json/json-value.ts';
import type { WrittenEntry } from '../write/write-entry.ts';
import { connectionPart, oauthPart, timePart } from './entry-parts.ts';
import type { ForeignShape } from './foreign-server.ts';
import { readServers, type Translation } from './read-servers.ts';
import { anySyntax } from './variables.ts';

/**
 * The shapes that Switchboard also reads where other programs share a file with it: `mcpServers`, `mcp_servers` and
 * `servers`, a list, one server, and our own config.
 */
export const genericShape: ForeignShape = {
  title: 'an MCP config',
  matches: () => true,
  read(root, place) {
    const { dialect } = recognizeDialect(root);
    return readServers(dialect.readServers(root), { place, syntax: syntaxOf(dialect), translate: translateGeneric });
  },
};

function syntaxOf({ expandsVariables }: Dialect): typeof anySyntax | undefined {
  return expandsVariables ? anySyntax : undefined;
}

/** Translates an entry in any of the spellings that docs/config.md lists. */
function translateGeneric(translation: Translation): WrittenEntry | string {
  const { fields, text } = translation;
  // The file's own name for a server of a list.
  fields.take(() => undefined, 'name');
  const connection = connectionPart(translation, { urlKeys: ['httpUrl', 'url', 'serverUrl'] });
  if (typeof connection === 'string') return connection;
  const specific = connection['transport'] === 'stdio' ? stdioOnly(translation) : httpOnly(translation);
  const isOff = fields.take(readBoolean, 'enabled') === false;
  const isDisabled = fields.take(readBoolean, 'disabled') === true;
  return {
    ...connection,
    ...specific,
    oauth: fields.has('oauth') ? oauthPart(fields.open('oauth'), text, { scope: ['scopes'] }) : undefined,
    enabled: isOff || isDisabled ? false : undefined,
    enabled_tools: fields.take(readStrings, 'enabled_tools', 'enabledTools', 'includeTools', 'allowedTools'),
    disabled_tools: fields.take(readStrings, 'disabled_tools', 'disabledTools', 'excludeTools'),
    ...timeouts(translation),
    start: fields.take((value) => readOneOf(value, ['eager', 'lazy']), 'start'),
    pin: fields.take(readBoolean, 'pin'),
    restart: fields.take((value) => readOneOf(value, ['overlap', 'stop-first']), 'restart'),
    share: fields.take((value) => readOneOf(value, ['client', 'folder', 'user']), 'share'),
    expand_variables: fields.take(readBoolean, 'expand_variables'),
    imported_from: fields.take(readNonEmptyString, 'imported_from'),
  };
}

function stdioOnly({ fields }: Translation): WrittenEntry {
  return {
    env_vars: fields.take(readStrings, 'env_vars'),
    inherit_env: fields.take(readBoolean, 'inherit_env'),
    framing: fields.take((value) => readOneOf(value, ['ndjson', 'content-length']), 'framing'),
  };
}

function httpOnly({ fields }: Translation): WrittenEntry {
  return {
    header_env: fields.take(readNames, 'header_env', 'env_http_headers'),
    bearer_token_env_var: fields.take(readNonEmptyString, 'bearer_token_env_var'),
  };
}

/** Reads an object of variable names. */
export function readNames(value: JsonValue): Readonly<Record<string, string>> {
  return readStringMap(value, () => undefined);
}

function timeouts({ fields }: Translation): WrittenEntry {
  return {
    startup_timeout_ms:
      timePart(fields, 'startup_timeout_ms') ?? timePart(fields, 'startup_timeout_sec', { unitMs: 1000 }),
    request_timeout_ms:
      timePart(fields, 'request_timeout_ms') ??
      timePart(fields, 'tool_timeout_sec', { unitMs: 1000 }) ??
      timePart(fields, 'timeout'),
  };
}
