import { AppError } from '../../base/errors.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import type { GuardedFetch } from '../../net/guarded-fetch.ts';
import type { JsonObject } from '../../wire/messages.ts';
import type { Challenge } from './challenge.ts';
import { fetchDocument } from './metadata-document.ts';

/** The protected resource metadata of a server (RFC 9728). */
export interface ProtectedResource {
  /** As published, because requests repeat it unchanged. */
  readonly resource: string;
  readonly authorizationServer: string | undefined;
  readonly scopesSupported: readonly string[] | undefined;
}

/** Finds the metadata at the URL in the challenge, else at the well-known URL of the path, else at that of the host. */
export async function findProtectedResource(
  url: string,
  challenge: Challenge,
  fetch: GuardedFetch,
): Promise<ProtectedResource | undefined> {
  for (const metadataUrl of metadataUrls(url, challenge)) {
    const document = await fetchDocument(metadataUrl, fetch);
    const isMetadata = document !== undefined && ('resource' in document || 'authorization_servers' in document);
    if (isMetadata) return decode(document, url, metadataUrl);
  }
  return undefined;
}

function metadataUrls(url: string, { resourceMetadata }: Challenge): readonly string[] {
  const { origin, pathname, search } = new URL(url);
  if (resourceMetadata !== undefined) return [requireSameOrigin(resourceMetadata, origin)];
  const root = `${origin}${WELL_KNOWN}`;
  const path = pathname.replace(/\/$/, '');
  return path === '' && search === '' ? [root] : [`${root}${path}${search}`, root];
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/**
 * Requires the metadata to be on the server's own origin, which alone may name its authorization server. Other URLs are
 * not even fetched.
 */
function requireSameOrigin(metadataUrl: string, origin: string): string {
  if (URL.canParse(metadataUrl, origin)) {
    const resolved = new URL(metadataUrl, origin);
    if (resolved.origin === origin && resolved.username === '' && resolved.password === '') return resolved.href;
  }
  const shown = oneLine(metadataUrl.replace(/[?#].*$/s, '').replace(/\/\/[^/@]*@/, '//…@'), 200);
  throw new AppError(
    'DENIED',
    `Refused to sign in: the server at ${origin} points to OAuth metadata at ${shown}, which is not on its own host. ` +
      'If this is intended, set oauth.authorization_url and oauth.token_url in its entry.',
    { data: { address: shown } },
  );
}

function decode(document: JsonObject, url: string, metadataUrl: string): ProtectedResource {
  const { resource, authorization_servers: servers, scopes_supported: scopes } = document;
  if (typeof resource !== 'string' || !covers(resource, url))
    throw new AppError(
      'DENIED',
      `Refused to sign in: the metadata at ${metadataUrl} describes ${oneLine(String(resource), 200)}, not the configured ` +
        `server ${withoutQuery(url)}. Correct the URL in its entry, or contact the operator of the server.`,
    );
  const [first] = Array.isArray(servers) ? (servers as readonly unknown[]) : [];
  return {
    resource,
    authorizationServer: typeof first === 'string' && first !== '' ? first : undefined,
    scopesSupported: readStringList(scopes),
  };
}

/** Returns true if the origins are equal and the server's path is that of the resource or below it. */
function covers(resource: string, url: string): boolean {
  if (!URL.canParse(resource)) return false;
  const declared = new URL(resource);
  const configured = new URL(url);
  if (declared.origin !== configured.origin || declared.hash !== '' || declared.username !== '') return false;
  const base = declared.pathname.replace(/\/?$/, '/');
  return configured.pathname.replace(/\/?$/, '/').startsWith(base);
}

/** Removes the query, which may contain a key of the user. */
function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, '');
}

export function readStringList(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.filter((item) => typeof item === 'string');
}
