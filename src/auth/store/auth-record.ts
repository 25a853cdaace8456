import type { AuthorizationServer } from 'oauth4webapi';
import { errorAt, readObject, readOptional, readString } from '../../config/json/decode.ts';
import { childOf, type JsonValue } from '../../config/json/json-value.ts';
import type { OAuthSettings } from '../../config/server-entry.ts';
import type { OAuthClient } from '../oauth/client-registration.ts';
import type { Tokens } from '../oauth/token-requests.ts';

/** What is known of the sign-in to one server: a record of mcp-auth.json. Every part may be missing in a file. */
export interface AuthRecord {
  readonly accessToken: string | undefined;
  readonly refreshToken: string | undefined;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number | undefined;
  readonly tokenType: string | undefined;
  readonly scope: string | undefined;
  readonly clientId: string | undefined;
  /** Of a client that we registered. One from the config stays where it is. */
  readonly clientSecret: string | undefined;
  readonly authMethod: OAuthClient['authMethod'] | undefined;
  readonly registration: OAuthClient['registration'] | undefined;
  /** What the client was registered for; undefined: it may ask for anything. */
  readonly clientScope: string | undefined;
  /** The server that it is for: the record counts for no other. */
  readonly url: string | undefined;
  /** The authorization server that gave tokens and client; neither is ever sent to another. */
  readonly issuer: string | undefined;
  readonly resource: string | undefined;
  readonly redirectUri: string | undefined;
  /** The metadata of the authorization server, as far as renewing and revoking need it. */
  readonly discovery: AuthorizationServer | undefined;
  /** When the tokens last changed, in milliseconds since the epoch. */
  readonly updatedAt: number | undefined;
  /** When the server last refused one new token after the other, in milliseconds since the epoch. */
  readonly refusedAt: number | undefined;
  /**
   * When a refresh request was sent whose outcome is not stored, in milliseconds since the epoch. The server may have
   * replaced the refresh token by one that was never stored.
   */
  readonly refreshStartedAt: number | undefined;
  /** Keys of the file that we do not know, as they were. */
  readonly rest: Readonly<Record<string, unknown>>;
}

/** Without tokens; the client and the places stay. */
export function withoutTokens(record: AuthRecord, now: number): AuthRecord {
  const none = { accessToken: undefined, refreshToken: undefined, expiresAt: undefined, tokenType: undefined };
  return { ...record, ...none, scope: undefined, refusedAt: undefined, refreshStartedAt: undefined, updatedAt: now };
}

/** Without the client, its authorization server and therefore without tokens: a sign-in begins from the start. */
export function withoutClient(record: AuthRecord, now: number): AuthRecord {
  const client = { clientId: undefined, clientSecret: undefined, clientScope: undefined };
  const how = { authMethod: undefined, registration: undefined };
  return {
    ...withoutTokens(record, now),
    ...client,
    ...how,
    issuer: undefined,
    resource: undefined,
    discovery: undefined,
  };
}

/** A server that gives no new refresh token, or does not repeat the scope, leaves the old ones as they are. */
export function withTokens(record: AuthRecord, tokens: Tokens, now: number): AuthRecord {
  const { accessToken, refreshToken = record.refreshToken, expiresAt, tokenType, scope = record.scope } = tokens;
  const fresh = { accessToken, refreshToken, expiresAt, tokenType, scope, updatedAt: now };
  return { ...record, ...fresh, refreshStartedAt: undefined };
}

export function emptyRecord(url: string): AuthRecord {
  const empty = Object.fromEntries(Object.keys(FILE_KEYS).map((name) => [name, undefined])) as EmptyRecord;
  return { ...empty, url, rest: {} };
}

/** All words of these scopes, each once. */
export function mergeScopes(...scopes: readonly (string | undefined)[]): string | undefined {
  const words = scopes.flatMap((scope) => scope?.split(' ') ?? []).filter((word) => word !== '');
  return words.length === 0 ? undefined : [...new Set(words)].join(' ');
}

/** The client of the record. The secret of one from the config stands there, if it still is the same client. */
export function recordedClient(record: AuthRecord, settings: OAuthSettings | undefined): OAuthClient | undefined {
  const { clientId, registration = 'dcr', authMethod = 'none' } = record;
  if (clientId === undefined) return undefined;
  const configured = settings?.clientId === clientId ? settings.clientSecret : undefined;
  const clientSecret = registration === 'static' ? configured : record.clientSecret;
  return { clientId, clientSecret, registration, authMethod };
}

/** Throws `CONFIG_INVALID` with file and line for what cannot be a record. */
export function decodeRecord(value: JsonValue): AuthRecord {
  const text = (key: string) => readOptional(value, readString, key);
  const time = (key: string) => readOptional(value, readTime, key);
  const known = new Set<string>(Object.values(FILE_KEYS));
  return {
    accessToken: text(FILE_KEYS.accessToken),
    refreshToken: text(FILE_KEYS.refreshToken),
    expiresAt: time(FILE_KEYS.expiresAt),
    tokenType: text(FILE_KEYS.tokenType),
    scope: text(FILE_KEYS.scope),
    clientId: text(FILE_KEYS.clientId),
    clientSecret: text(FILE_KEYS.clientSecret),
    authMethod: oneOf(AUTH_METHODS, text(FILE_KEYS.authMethod)),
    registration: oneOf(REGISTRATIONS, text(FILE_KEYS.registration)),
    clientScope: text(FILE_KEYS.clientScope),
    url: text(FILE_KEYS.url),
    issuer: text(FILE_KEYS.issuer),
    resource: text(FILE_KEYS.resource),
    redirectUri: text(FILE_KEYS.redirectUri),
    discovery: readOptional(value, readServer, FILE_KEYS.discovery),
    updatedAt: time(FILE_KEYS.updatedAt),
    refusedAt: time(FILE_KEYS.refusedAt),
    refreshStartedAt: time(FILE_KEYS.refreshStartedAt),
    rest: Object.fromEntries(Object.entries(readObject(value)).filter(([key]) => !known.has(key))),
  };
}

/** As it stands in the file. */
export function encodeRecord({ rest, ...record }: AuthRecord): Readonly<Record<string, unknown>> {
  const { discovery } = record;
  const parts = { ...record, discovery: discovery && pickStoredMetadata(discovery) };
  const known = Object.entries(FILE_KEYS).map(([name, key]) => [key, parts[name as keyof typeof FILE_KEYS]] as const);
  return Object.fromEntries([...known.filter(([, part]) => part !== undefined), ...Object.entries(rest)]);
}

type EmptyRecord = { readonly [Name in keyof typeof FILE_KEYS]: undefined };

/** The seed's keys first, then what we add. */
const FILE_KEYS = {
  accessToken: 'access_token',
  refreshToken: 'refresh_token',
  expiresAt: 'expires_at',
  tokenType: 'token_type',
  scope: 'scope',
  clientId: 'client_id',
  clientSecret: 'client_secret',
  url: 'url',
  issuer: 'issuer',
  resource: 'resource',
  redirectUri: 'redirect_uri',
  authMethod: 'token_endpoint_auth_method',
  registration: 'registration',
  clientScope: 'client_scope',
  discovery: 'discovery',
  updatedAt: 'updated_at',
  refusedAt: 'refused_at',
  refreshStartedAt: 'refresh_started_at',
} as const satisfies Readonly<Record<keyof Omit<AuthRecord, 'rest'>, string>>;

const AUTH_METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const;
const REGISTRATIONS = ['static', 'cimd', 'dcr'] as const;

/** A word of a newer version is as none. */
function oneOf<T extends string>(words: readonly T[], text: string | undefined): T | undefined {
  return words.find((word) => word === text);
}

function readTime(value: JsonValue): number {
  if (typeof value.content === 'number' && value.content >= 0) return value.content;
  throw errorAt(value, 'This must be a number of milliseconds since 1970.');
}

function readServer(value: JsonValue): AuthorizationServer | undefined {
  const content = readObject(value);
  if (content['issuer'] === undefined) return undefined;
  return { ...content, issuer: readString(childOf(value, 'issuer')) };
}

/** A server may say a megabyte about itself; this much is of use later. */
function pickStoredMetadata(server: AuthorizationServer): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    STORED_METADATA_KEYS.map((key) => [key, server[key]]).filter(([, part]) => part !== undefined),
  );
}

const STORED_METADATA_KEYS = [
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'registration_endpoint',
  'revocation_endpoint',
  'device_authorization_endpoint',
  'token_endpoint_auth_methods_supported',
  'revocation_endpoint_auth_methods_supported',
  'code_challenge_methods_supported',
  'authorization_response_iss_parameter_supported',
] as const;
