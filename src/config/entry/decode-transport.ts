import type { Dialect } from '../dialects/dialect.ts';
import {
  faultAt,
  pick,
  readBoolean,
  readFilledString,
  readString,
  readStringMap,
  readStrings,
  readWord,
  take,
} from '../json/decode.ts';
import { childOf, type JsonValue, pathOfValue } from '../json/json-value.ts';
import type { HttpSettings, OAuthSettings, StdioSettings } from '../server-entry.ts';

/** How the server of an entry is reached; undefined when the entry does not say. */
export function decodeTransport(entry: JsonValue, dialect: Dialect): StdioSettings | HttpSettings | undefined {
  const named = pick(entry, 'transport', 'type');
  const word = named === undefined ? undefined : readWord(named, Object.keys(dialect.transports));
  const [command, url] = [pick(entry, 'command'), pick(entry, ...URL_KEYS)];
  const kind = word === undefined ? inferKind(entry, { command, url }) : dialect.transports[word];
  if (kind === 'stdio' && command !== undefined) return decodeStdio(entry, command);
  if (kind === 'http' && url !== undefined) return decodeHttp(entry, url, { dialect, isSse: word === 'sse' });
  if (named !== undefined)
    throw faultAt(named, `${nameOf(entry)} is of type "${word}" and needs "${NEEDED[kind ?? 'stdio']}".`);
  return undefined;
}

/** `httpUrl` first: who has it as well as `url` means by the latter the older protocol. */
export const URL_KEYS: readonly string[] = ['httpUrl', 'url', 'serverUrl'];

const NEEDED = { stdio: 'command', http: 'url' } as const;

function inferKind(
  entry: JsonValue,
  { command, url }: { command: JsonValue | undefined; url: JsonValue | undefined },
): 'stdio' | 'http' | undefined {
  if (command !== undefined && url !== undefined)
    throw faultAt(entry, `${nameOf(entry)} has both a command and a URL: set "type" to choose one.`);
  if (command !== undefined) return 'stdio';
  return url === undefined ? undefined : 'http';
}

/** For a message: a file that is one server has no path to it. */
export function nameOf(entry: JsonValue): string {
  return pathOfValue(entry) || 'The server';
}

function decodeStdio(entry: JsonValue, command: JsonValue): StdioSettings {
  return {
    kind: 'stdio',
    command: readFilledString(command),
    args: take(entry, readStrings, 'args') ?? [],
    cwd: take(entry, readFilledString, 'cwd'),
    env: take(entry, readEnv, 'env') ?? {},
    envVars: take(entry, readStrings, 'env_vars') ?? [],
    inheritEnv: take(entry, readBoolean, 'inherit_env') ?? false,
    framing: take(entry, readFraming, 'framing') ?? 'ndjson',
  };
}

function readEnv(value: JsonValue): Readonly<Record<string, string>> {
  return readStringMap(value, (name) =>
    name === '' || /[=\0]/.test(name) ? 'this cannot be the name of a variable.' : undefined,
  );
}

function readFraming(value: JsonValue): StdioSettings['framing'] {
  return readWord(value, ['ndjson', 'content-length']);
}

function decodeHttp(
  entry: JsonValue,
  url: JsonValue,
  { dialect, isSse }: { readonly dialect: Dialect; readonly isSse: boolean },
): HttpSettings {
  // Allowed in every entry and checked in every entry; nothing is started that could get it.
  take(entry, readEnv, 'env');
  return {
    kind: 'http',
    url: readUrl(url, dialect),
    headers: take(entry, readHeaders, ...HEADER_KEYS) ?? {},
    headerEnv: take(entry, readHeaderVariables, ...HEADER_ENV_KEYS) ?? {},
    bearerTokenEnv: take(entry, readVariableName, 'bearer_token_env_var'),
    oauth: take(entry, readOAuth, 'oauth'),
    isSse,
  };
}

/** The second of each is what Codex calls it. */
export const HEADER_KEYS: readonly string[] = ['headers', 'http_headers'];
export const HEADER_ENV_KEYS: readonly string[] = ['header_env', 'env_http_headers'];

function readUrl(value: JsonValue, dialect: Dialect): string {
  const url = readFilledString(value);
  // What it will be is known when it is connected.
  if (dialect.expandsVariables && url.includes('${')) return url;
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  const fault = /^https?:\/\//i.test(url)
    ? 'is not a valid URL: check its host and port.'
    : 'must be an address that begins with http:// or https://.';
  throw faultAt(value, `${pathOfValue(value)} ${fault}`);
}

function readHeaders(value: JsonValue): Readonly<Record<string, string>> {
  const headers = readStringMap(value, headerFault);
  const broken = Object.keys(headers).find((name) => /[\r\n]/.test(headers[name] ?? ''));
  if (broken === undefined) return headers;
  throw faultAt(value, `${pathOfValue(value)}.${broken} may not contain a line break.`);
}

function headerFault(name: string): string | undefined {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) ? undefined : 'this cannot be the name of a header.';
}

function readHeaderVariables(value: JsonValue): Readonly<Record<string, string>> {
  const names = readStringMap(value, headerFault);
  return Object.fromEntries(Object.keys(names).map((name) => [name, readVariableName(childOf(value, name))]));
}

function readVariableName(value: JsonValue): string {
  const name = readFilledString(value);
  if (!/[=$\s]/.test(name)) return name;
  throw faultAt(value, `${pathOfValue(value)} must be the name of a variable, not a value.`);
}

function readOAuth(value: JsonValue): OAuthSettings {
  const read = (...keys: readonly string[]) => take(value, readString, ...keys);
  return {
    authorizationUrl: read('authorization_url', 'authorizationUrl'),
    tokenUrl: read('token_url', 'tokenUrl'),
    registrationUrl: read('registration_url', 'registrationUrl'),
    clientId: read('client_id', 'clientId'),
    clientSecret: read('client_secret', 'clientSecret'),
    clientSecretEnv: take(value, readVariableName, 'client_secret_env'),
    scope: read('scope') ?? take(value, readScopes, 'scopes'),
  };
}

/** A list, or as some programs write it, one text. */
function readScopes(value: JsonValue): string {
  return typeof value.content === 'string' ? readString(value) : readStrings(value).join(' ');
}
