import type { AuthorizationServer } from 'oauth4webapi';
import { AppError } from '../../base/errors.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import type { GuardedFetch } from '../../net/guarded-fetch.ts';
import { checkUrl } from '../../net/url-policy.ts';
import type { JsonObject } from '../../wire/messages.ts';
import { isSameIssuer } from './issuer.ts';
import { fetchDocument } from './metadata-document.ts';
import { readStringList } from './protected-resource.ts';

export interface ServerSearch {
  readonly issuer: string;
  /** URL of the MCP server. It decides which non-public addresses the authorization server may use. */
  readonly configuredUrl: string;
  readonly fetch: GuardedFetch;
}

/** Returns the checked metadata of an authorization server (RFC 8414, else OpenID); undefined if it publishes none. */
export async function findServerMetadata(search: ServerSearch): Promise<AuthorizationServer | undefined> {
  for (const metadataUrl of metadataUrls(search)) {
    const document = await fetchDocument(metadataUrl, search.fetch);
    const isMetadata = document !== undefined && ('issuer' in document || 'token_endpoint' in document);
    if (isMetadata) return decode(document, search, metadataUrl);
  }
  return undefined;
}

/**
 * Lists the URLs in the order of the MCP specification. A path follows the well-known part; for OpenID it may also
 * precede it.
 */
function metadataUrls({ issuer, configuredUrl }: ServerSearch): readonly string[] {
  const { origin, pathname } = checkUrl(issuer, configuredUrl);
  const path = pathname.replace(/\/$/, '');
  const urls = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
  ];
  return path === '' ? urls : [...urls, `${origin}${path}/.well-known/openid-configuration`];
}

function decode(
  document: JsonObject,
  { issuer, configuredUrl }: ServerSearch,
  metadataUrl: string,
): AuthorizationServer {
  const { host } = new URL(metadataUrl);
  const { issuer: declaredIssuer } = document;
  if (typeof declaredIssuer !== 'string' || !isSameIssuer(declaredIssuer, issuer))
    throw new AppError(
      'DENIED',
      `Refused to sign in: the metadata at ${metadataUrl} was requested for the issuer ${oneLine(issuer, 200)} but names ` +
        `${oneLine(String(document['issuer']), 200)}. The operator of ${host} must correct one of the two.`,
    );
  for (const [name, value] of Object.entries(document))
    if (name.endsWith('_endpoint') && typeof value === 'string') checkUrl(value, configuredUrl);
  for (const name of ['authorization_endpoint', 'token_endpoint'])
    if (typeof document[name] !== 'string')
      throw new AppError(
        'BAD_ANSWER',
        `The metadata of the authorization server ${host} lacks ${name}, which sign-in requires. Contact its operator, or set oauth.authorization_url and oauth.token_url in the entry.`,
      );
  const methods = readStringList(document['code_challenge_methods_supported']);
  if (methods?.includes('S256') !== true)
    throw new AppError(
      'DENIED',
      `Refused to sign in: the authorization server ${host} does not declare support for PKCE with S256, without which ` +
        'others can use a stolen code. Its operator must add code_challenge_methods_supported.',
    );
  // Use the server's own spelling, which it also sends as `iss`.
  return pickKnownFields(document, declaredIssuer);
}

const STRING_FIELDS = [
  'authorization_endpoint',
  'token_endpoint',
  'registration_endpoint',
  'device_authorization_endpoint',
  'revocation_endpoint',
] as const;
const LIST_FIELDS = [
  'scopes_supported',
  'code_challenge_methods_supported',
  'token_endpoint_auth_methods_supported',
  'grant_types_supported',
] as const;
const BOOLEAN_FIELDS = [
  'authorization_response_iss_parameter_supported',
  'client_id_metadata_document_supported',
] as const;

/** Keeps only the fields that are used later, because they are stored with the sign-in. */
function pickKnownFields(document: JsonObject, issuer: string): AuthorizationServer {
  const server: Record<string, string | boolean | string[]> = {};
  for (const name of STRING_FIELDS) {
    const value = document[name];
    if (typeof value === 'string') server[name] = value;
  }
  for (const name of LIST_FIELDS) {
    const values = readStringList(document[name]);
    if (values !== undefined) server[name] = [...values];
  }
  for (const name of BOOLEAN_FIELDS) if (document[name] === true) server[name] = true;
  return { ...server, issuer };
}
