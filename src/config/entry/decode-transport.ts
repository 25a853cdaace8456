import type { Dialect } from '../dialects/dialect.ts';
import {
  errorAt,
  pick,
  readBoolean,
  readNonEmptyString,
  readOneOf,
  readOptional,
  readString,
  readStringMap,
  readStrings,
} from '../json/decode.ts';
import { childOf, formatJsonPath, type JsonValue } from '../json/json-value.ts';
import type { HttpSettings, OAuthSettings, StdioSettings } from '../server-entry.ts';

/** Decodes how to reach the server of an entry; undefined if the entry does not define it. */
export function decodeTransport(entry: JsonValue, dialect: Dialect): StdioSettings | HttpSettings | undefined {
  const named = pick(entry, 'transport', 'type');
  const word = named === undefined ? undefined : readOneOf(named, Object.keys(dialect.transports));
  const [command, url] = [pick(entry, 'command'), pick(entry, ...URL_KEYS)];
  const kind = word === undefined ? inferKind(entry, { command, url }) : dialect.transports[word];
  if (kind === 'stdio' && command !== undefined) return decodeStdio(entry, command);
  if (kind === 'http' && url !== undefined) return decodeHttp(entry, url, { dialect, isSse: word === 'sse' });
  if (named !== undefined)
    throw errorAt(named, `${entryLabel(entry)} is of type "${word}" and needs "${REQUIRED_KEYS[kind ?? 'stdio']}".`);
  return undefined;
}

/** `httpUrl` comes first: an entry that has both uses `url` for the older SSE protocol. */
export const URL_KEYS: readonly string[] = ['httpUrl', 'url', 'serverUrl'];

const REQUIRED_KEYS = { stdio: 'command', http: 'url' } as const;

function inferKind(
  entry: JsonValue,
  { command, url }: { command: JsonValue | undefined; url: JsonValue | undefined },
): 'stdio' | 'http' | undefined {
  if (command !== undefined && url !== undefined)
    throw errorAt(entry, `${entryLabel(entry)} has both a command and a URL: set "type" to choose one.`);
  if (command !== undefined) return 'stdio';
  return url === undefined ? undefined : 'http';
}

/** Returns the name of an entry for messages. A file that is a single server has no path to it. */
export function entryLabel(entry: JsonValue): string {
  return formatJsonPath(entry) || 'The server';
}

function decodeStdio(entry: JsonValue, command: JsonValue): StdioSettings {
  return {
    kind: 'stdio',
    command: readNonEmptyString(command),
    args: readOptional(entry, readStrings, 'args') ?? [],
    cwd: readOptional(entry, readNonEmptyString, 'cwd'),
    env: readOptional(entry, readEnv, 'env') ?? {},
    envVars: readOptional(entry, readStrings, 'env_vars') ?? [],
    inheritEnv: readOptional(entry, readBoolean, 'inherit_env') ?? false,
    framing: readOptional(entry, readFraming, 'framing') ?? 'ndjson',
  };
}

function readEnv(value: JsonValue): Readonly<Record<string, string>> {
  return readStringMap(value, (name) =>
    name === '' || /[=\0]/.test(name) ? 'this is not a valid variable name.' : undefined,
  );
}

function readFraming(value: JsonValue): StdioSettings['framing'] {
  return readOneOf(value, ['ndjson', 'content-length']);
}

function decodeHttp(
  entry: JsonValue,
  url: JsonValue,
  { dialect, isSse }: { readonly dialect: Dialect; readonly isSse: boolean },
): HttpSettings {
  // Every entry may have `env`, so it is validated here too, although no process receives it.
  readOptional(entry, readEnv, 'env');
  return {
    kind: 'http',
    url: readUrl(url, dialect),
    headers: readOptional(entry, readHeaders, ...HEADER_KEYS) ?? {},
    headerEnv: readOptional(entry, readHeaderVariables, ...HEADER_ENV_KEYS) ?? {},
    bearerTokenEnv: readOptional(entry, readVariableName, 'bearer_token_env_var'),
    oauth: readOptional(entry, readOAuth, 'oauth'),
    isSse,
  };
}

/** The second name of each is Codex's spelling. */
export const HEADER_KEYS: readonly string[] = ['headers', 'http_headers'];
export const HEADER_ENV_KEYS: readonly string[] = ['header_env', 'env_http_headers'];

function readUrl(value: JsonValue, dialect: Dialect): string {
  const url = readNonEmptyString(value);
  // The URL can be validated only once its variables are expanded, when the server is connected.
  if (dialect.expandsVariables && url.includes('${')) return url;
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  const fault = /^https?:\/\//i.test(url)
    ? 'is not a valid URL: check its host and port.'
    : 'must be a URL that begins with http:// or https://.';
  throw errorAt(value, `${formatJsonPath(value)} ${fault}`);
}

function readHeaders(value: JsonValue): Readonly<Record<string, string>> {
  const headers = readStringMap(value, checkHeaderName);
  const broken = Object.keys(headers).find((name) => /[\r\n]/.test(headers[name] ?? ''));
  if (broken === undefined) return headers;
  throw errorAt(value, `${formatJsonPath(value)}.${broken} may not contain a line break.`);
}

function checkHeaderName(name: string): string | undefined {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) ? undefined : 'this is not a valid header name.';
}

function readHeaderVariables(value: JsonValue): Readonly<Record<string, string>> {
  const names = readStringMap(value, checkHeaderName);
  return Object.fromEntries(Object.keys(names).map((name) => [name, readVariableName(childOf(value, name))]));
}

function readVariableName(value: JsonValue): string {
  const name = readNonEmptyString(value);
  if (!/[=$\s]/.test(name)) return name;
  throw errorAt(value, `${formatJsonPath(value)} must be the name of a variable, not a value.`);
}

function readOAuth(value: JsonValue): OAuthSettings {
  const read = (...keys: readonly string[]) => readOptional(value, readString, ...keys);
  return {
    authorizationUrl: read('authorization_url', 'authorizationUrl'),
    tokenUrl: read('token_url', 'tokenUrl'),
    registrationUrl: read('registration_url', 'registrationUrl'),
    clientId: read('client_id', 'clientId'),
    clientSecret: read('client_secret', 'clientSecret'),
    clientSecretEnv: readOptional(value, readVariableName, 'client_secret_env'),
    scope: read('scope') ?? readOptional(value, readScopes, 'scopes'),
  };
}

/** Reads a list or, as some programs write it, a single string. */
function readScopes(value: JsonValue): string {
  return typeof value.content === 'string' ? readString(value) : readStrings(value).join(' ');
}
