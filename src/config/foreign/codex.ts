import { isObject } from '../../wire/messages.ts';
import { pick, readBoolean, readList, readNonEmptyString, readString, readStrings } from '../json/decode.ts';
import type { JsonValue } from '../json/json-value.ts';
import type { WrittenEntry } from '../write/write-entry.ts';
import { connectionPart, oauthPart, timePart, unlessEmpty } from './entry-parts.ts';
import type { Fields } from './fields.ts';
import type { ForeignShape } from './foreign-server.ts';
import { readNames } from './generic.ts';
import { readTable, type Translation } from './read-servers.ts';

/** Codex: the tables `[mcp_servers.<name>]` of `config.toml`. Times are in seconds, and there are no variables. */
export const codexShape: ForeignShape = {
  title: 'Codex',
  matches: () => false,
  read: (root, place) =>
    readTable(pick(root, 'mcp_servers'), {
      place,
      syntax: undefined,
      unusedReason: 'only Codex uses it',
      translate,
    }),
};

function translate(translation: Translation): WrittenEntry | string {
  const { fields } = translation;
  const connection = connectionPart(translation);
  if (typeof connection === 'string') return connection;
  dropUnused(fields);
  const specific = connection['transport'] === 'http' ? httpOnly(translation, connection) : stdioOnly(fields);
  return {
    ...connection,
    ...specific,
    enabled: fields.take(readBoolean, 'enabled') === false ? false : undefined,
    enabled_tools: fields.take(readStrings, 'enabled_tools'),
    disabled_tools: fields.take(readStrings, 'disabled_tools'),
    startup_timeout_ms:
      timePart(fields, 'startup_timeout_sec', { unitMs: 1000 }) ?? timePart(fields, 'startup_timeout_ms'),
    request_timeout_ms: timePart(fields, 'tool_timeout_sec', { unitMs: 1000 }),
  };
}

function stdioOnly(fields: Fields): WrittenEntry {
  const names = fields.take(readList, 'env_vars') ?? [];
  return { env_vars: unlessEmpty(names.flatMap((value) => readVariable(value, fields))) };
}

/** A name, or a name with the machine whose environment has the variable. */
function readVariable(value: JsonValue, fields: Fields): readonly string[] {
  if (!isObject(value.content)) return [readNonEmptyString(value)];
  const name = pick(value, 'name');
  const source = pick(value, 'source')?.content ?? 'local';
  if (name === undefined) return [];
  if (source === 'local') return [readNonEmptyString(name)];
  fields.note(`env_vars.${String(name.content)}`, 'it comes from the environment of another machine');
  return [];
}

function httpOnly({ fields, text }: Translation, { headers }: WrittenEntry): WrittenEntry {
  const token = fields.take(readString, 'bearer_token');
  const scopes = fields.take((value) => readStrings(value).join(' '), 'scopes');
  const oauth = oauthPart(fields.open('oauth'), text);
  const signIn = unlessEmpty({ ...oauth, ...(scopes === undefined || scopes === '' ? {} : { scope: scopes }) });
  const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  return {
    headers: unlessEmpty({ ...(isObject(headers) ? headers : {}), ...authorization }),
    header_env: fields.take(readNames, 'env_http_headers'),
    bearer_token_env_var: fields.take(readNonEmptyString, 'bearer_token_env_var'),
    oauth: signIn,
  };
}

function dropUnused(fields: Fields): void {
  fields.drop(
    'http_headers_helper',
    'Switchboard runs no program to get headers: name a variable in header_env instead',
  );
  fields.drop('oauth_resource', 'Switchboard uses the resource that the server reports');
  fields.drop('required', 'Switchboard starts without servers that fail, and connects to them later');
}
