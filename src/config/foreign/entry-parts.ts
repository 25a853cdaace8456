import { parseEnv } from 'node:util';
import { FOREIGN_TRANSPORTS } from '../dialects/dialect.ts';
import { resolvePath } from '../files/folders.ts';
import { errorAt, readNonEmptyString, readObject, readOneOf, readString, readStrings } from '../json/decode.ts';
import { childOf, formatJsonPath, type JsonValue } from '../json/json-value.ts';
import type { WrittenEntry } from '../write/write-entry.ts';
import type { Fields } from './fields.ts';
import type { Translation } from './read-servers.ts';

/** Parts of entries that several programs write alike. */

/**
 * Reads how to reach the server. `urlKeys` are in order of precedence. Returns why that is impossible as text. The type
 * `sse` needs no key of ours, because Switchboard detects the protocol.
 */
export function connectionPart(
  translation: Translation,
  { urlKeys = ['url'] }: { readonly urlKeys?: readonly string[] } = {},
): WrittenEntry | string {
  const { fields } = translation;
  const word = fields.take((value) => readOneOf(value, TYPES), ...TYPE_KEYS);
  const hasUrl = urlKeys.some((key) => fields.has(key));
  const kind = word === undefined ? inferKind(fields, hasUrl) : FOREIGN_TRANSPORTS[word];
  if (kind === 'stdio' && fields.has('command')) return stdioPart(translation);
  if (kind === 'http' && hasUrl) return httpPart(translation, urlKeys);
  if (kind === undefined) return 'it has neither a command nor a URL';
  return `it is of type ${word} and has no ${kind === 'stdio' ? 'command' : 'URL'}`;
}

const TYPES = [
  'stdio',
  'local',
  'http',
  'streamable-http',
  'streamable_http',
  'streamableHttp',
  'sse',
  'remote',
] as const;

const TYPE_KEYS = ['transport', 'type'];

function inferKind(fields: Fields, hasUrl: boolean): 'stdio' | 'http' | undefined {
  if (fields.has('command')) return 'stdio';
  return hasUrl ? 'http' : undefined;
}

/** Reads `command`, `args`, `cwd`, `env` and `envFile`. */
function stdioPart(translation: Translation): WrittenEntry {
  const { fields, text } = translation;
  const env = { ...envFilePart(translation), ...fields.take((value) => readTextMap(value, text), 'env') };
  return {
    transport: 'stdio',
    command: fields.take((value) => text.translate(readNonEmptyString(value), 'command'), 'command'),
    args: unlessEmpty(
      fields.take(readStrings, 'args')?.map((arg, index) => text.translate(arg, `args[${index}]`)) ?? [],
    ),
    cwd: fields.take((value) => text.translate(readNonEmptyString(value), 'cwd'), 'cwd'),
    env: unlessEmpty(env),
  };
}

/** Reads the URL under the first of these keys, and `headers`. */
export function httpPart({ fields, text }: Translation, urlKeys: readonly string[]): WrittenEntry | string {
  const url = fields.take((value) => text.translate(readNonEmptyString(value), 'url'), ...urlKeys);
  if (url !== undefined && /^[a-z][a-z\d+.-]*:/i.test(url) && !/^https?:/i.test(url))
    return `Switchboard connects to http:// and https:// only, not to ${/^[^:]*:/.exec(url)?.[0] ?? ''}//`;
  const headers = fields.take((value) => readTextMap(value, text), 'headers', 'http_headers');
  return { transport: 'http', url, headers: unlessEmpty(headers ?? {}) };
}

/** Copies the variables of the file that `envFile` names. */
function envFilePart({ fields, text, place }: Translation): Readonly<Record<string, string>> {
  const written = fields.take(readNonEmptyString, 'envFile');
  if (written === undefined) return {};
  const { environment, project } = place;
  const path = resolvePath(text.translate(written, 'envFile'), { ...environment, cwd: project ?? environment.cwd });
  const content = place.readText(path);
  if (content === undefined) {
    fields.note('envFile', 'the file cannot be read: set its variables yourself');
    return {};
  }
  fields.note('envFile', 'its variables were copied, and later changes to the file have no effect');
  const values = Object.entries(parseEnv(content));
  return Object.fromEntries(values.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** Reads an object of texts. Some programs also write numbers. */
export function readTextMap(value: JsonValue, text: Translation['text']): Readonly<Record<string, string>> {
  const path = formatJsonPath(value);
  const key = path.slice(path.lastIndexOf('.') + 1);
  const members = Object.entries(readObject(value));
  for (const [name, content] of members) if (content === null) text.note(`${key}.${name}`, NULL_IS_NO_VALUE);
  const given = members.filter(([, content]) => content !== null);
  return Object.fromEntries(
    given.map(([name, content]) => {
      const isPlain = typeof content === 'number' || typeof content === 'boolean';
      return [name, text.translate(isPlain ? String(content) : readString(childOf(value, name)), `${key}.${name}`)];
    }),
  );
}

/** VS Code removes such a variable from the environment that the server would inherit. */
const NULL_IS_NO_VALUE = 'null is no value, and servers get only the variables that their entry names';

/** Reads sign-in settings. `spellings` gives the other program's names, besides ours. */
export function oauthPart(
  fields: Fields | undefined,
  text: Translation['text'],
  spellings: Readonly<Record<string, readonly string[]>> = {},
): WrittenEntry | undefined {
  if (fields === undefined) return undefined;
  const members = OAUTH_KEYS.map((key) => {
    const names = [key, ...(spellings[key] ?? []), toCamelCase(key)];
    return [key, fields.take((value) => text.translate(readScope(value), `oauth.${key}`), ...names)] as const;
  });
  return unlessEmpty(Object.fromEntries(members.filter(([, value]) => value !== undefined && value !== '')));
}

const OAUTH_KEYS = ['authorization_url', 'token_url', 'registration_url', 'client_id', 'client_secret', 'scope'];

/** Scopes are a list or a text. */
function readScope(value: JsonValue): string {
  return Array.isArray(value.content) ? readStrings(value).join(' ') : readString(value);
}

function toCamelCase(key: string): string {
  return key.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** Reads a time in milliseconds; `unitMs` is the length of the program's own unit. */
export function timePart(
  fields: Fields,
  key: string,
  { unitMs = 1 }: { readonly unitMs?: number } = {},
): number | undefined {
  return fields.take((value) => {
    const ms = typeof value.content === 'number' ? Math.ceil(value.content * unitMs) : Number.NaN;
    if (ms > 0 && ms < 2 ** 31) return ms;
    throw errorAt(value, `${formatJsonPath(value)} must be a time above 0.`);
  }, key);
}

/** Returns the value, or undefined for an empty list or object, which needs no key. */
export function unlessEmpty<T extends object>(value: T): T | undefined {
  return Object.keys(value).length === 0 ? undefined : value;
}
