import type { AuthorizationServer } from 'oauth4webapi';
import { errorAt, readObject, readOptional, readString } from '../../config/json/decode.ts';
import { childOf, type JsonValue } from '../../config/json/json-value.ts';
import type { OAuthSettings } from '../../config/server-entry.ts';
import type { OAuthClient } from '../oauth/client-registration.ts';
import type { Tokens } from '../oauth/token-requests.ts';

/** Stored sign-in of one server: a record of mcp-auth.json. Any field may be missing in the file. */
export interface AuthRecord {
  readonly accessToken: string | undefined;
  readonly refreshToken: string | undefined;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number | undefined;
  readonly tokenType: string | undefined;
  readonly scope: string | undefined;
  readonly clientId: string | undefined;
  /** Secret of a client that we registered. A secret from the config is not stored. */
  readonly clientSecret: string | undefined;
  readonly authMethod: OAuthClient['authMethod'] | undefined;
  readonly registration: OAuthClient['registration'] | undefined;
  /** Scope for which the client was registered; undefined: any scope. */
  readonly clientScope: string | undefined;
  /** URL of the server. The record applies to no other. */
  readonly url: string | undefined;
  /** The authorization server of the tokens and the client. Neither is ever sent to another. */
  readonly issuer: string | undefined;
  readonly resource: string | undefined;
  readonly redirectUri: string | undefined;
  /** Metadata of the authorization server that refresh and revocation need. */
  readonly discovery: AuthorizationServer | undefined;
  /** When the tokens last changed, in milliseconds since the epoch. */
  readonly updatedAt: number | undefined;
  /** When the server last rejected several new tokens in a row, in milliseconds since the epoch. */
  readonly rejectedAt: number | undefined;
  /**
   * When a refresh request was sent whose outcome is not stored, in milliseconds since the epoch. The server may have
   * replaced the refresh token with one that was never stored.
   */
  readonly refreshStartedAt: number | undefined;
  /** Unknown keys of the file, preserved. */
  readonly rest: Readonly<Record<string, unknown>>;
}

/** Returns the record without tokens. It keeps the client and the URLs. */
export function withoutTokens(record: AuthRecord, now: number): AuthRecord {
  const none = { accessToken: undefined, refreshToken: undefined, expiresAt: undefined, tokenType: undefined };
  return { ...record, ...none, scope: undefined, rejectedAt: undefined, refreshStartedAt: undefined, updatedAt: now };
}

/** Returns the record without the client, its authorization server and the tokens, so that a sign-in starts afresh. */
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

/** Returns the record with new tokens. Keeps the old refresh token or scope if the response omits it. */
export function withTokens(record: AuthRecord, tokens: Tokens, now: number): AuthRecord {
  const { accessToken, refreshToken = record.refreshToken, expiresAt, tokenType, scope = record.scope } = tokens;
  const fresh = { accessToken, refreshToken, expiresAt, tokenType, scope, updatedAt: now };
  return { ...record, ...fresh, refreshStartedAt: undefined };
}

export function emptyRecord(url: string): AuthRecord {
  const empty = Object.fromEntries(Object.keys(FILE_KEYS).map((name) => [name, undefined])) as EmptyRecord;
  return { ...empty, url, rest: {} };
}

/** Merges scopes without duplicates. */
export function mergeScopes(...scopes: readonly (string | undefined)[]): string | undefined {
  const names = scopes.flatMap((scope) => scope?.split(' ') ?? []).filter((name) => name !== '');
  return names.length === 0 ? undefined : [...new Set(names)].join(' ');
}

/**
 * Returns the client of the record. The secret of a configured client comes from the config, if the client id still
 * matches.
 */
export function recordedClient(record: AuthRecord, settings: OAuthSettings | undefined): OAuthClient | undefined {
  const { clientId, registration = 'dcr', authMethod = 'none' } = record;
  if (clientId === undefined) return undefined;
  const configured = settings?.clientId === clientId ? settings.clientSecret : undefined;
  const clientSecret = registration === 'static' ? configured : record.clientSecret;
  return { clientId, clientSecret, registration, authMethod };
}

/** Throws `CONFIG_INVALID` with file and line if the value is not a valid record. */
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
    rejectedAt: time(FILE_KEYS.rejectedAt),
    refreshStartedAt: time(FILE_KEYS.refreshStartedAt),
    rest: Object.fromEntries(Object.entries(readObject(value)).filter(([key]) => !known.has(key))),
  };
}

/** Returns the record in the file format. */
export function encodeRecord({ rest, ...record }: AuthRecord): Readonly<Record<string, unknown>> {
  const { discovery } = record;
  const parts = { ...record, discovery: discovery && pickStoredMetadata(discovery) };
  const known = Object.entries(FILE_KEYS).map(([name, key]) => [key, parts[name as keyof typeof FILE_KEYS]] as const);
  return Object.fromEntries([...known.filter(([, part]) => part !== undefined), ...Object.entries(rest)]);
}

type EmptyRecord = { readonly [Name in keyof typeof FILE_KEYS]: undefined };

/** The keys of the original file format first, then our additions. */
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
  rejectedAt: 'refused_at',
  refreshStartedAt: 'refresh_started_at',
} as const satisfies Readonly<Record<keyof Omit<AuthRecord, 'rest'>, string>>;

const AUTH_METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const;
const REGISTRATIONS = ['static', 'cimd', 'dcr'] as const;

/** Treats unknown values, such as those of a newer version, as undefined. */
function oneOf<T extends string>(values: readonly T[], text: string | undefined): T | undefined {
  return values.find((value) => value === text);
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

/** Keeps only the metadata that is used later: a server may publish a megabyte. */
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
