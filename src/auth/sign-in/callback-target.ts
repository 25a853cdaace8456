import type { AuthorizationServer } from 'oauth4webapi';
import { randomHex, sha256 } from '../../base/digest.ts';
import type { OAuthSettings } from '../../config/server-entry.ts';
import type { AuthRecord } from '../store/auth-record.ts';
import type { CallbackTarget } from './callback-listener.ts';

interface TargetOptions {
  readonly url: string;
  readonly settings: OAuthSettings | undefined;
  readonly metadataUrl: string | undefined;
  readonly callbackPort: number | undefined;
  readonly server: AuthorizationServer;
  readonly record: AuthRecord | undefined;
}

/**
 * Chooses the redirect target. Reuses the last one if possible, because some authorization servers insist on the
 * registered one. The path is unguessable, unless the client was registered in advance and its path must be known: then
 * it is `/callback`.
 */
export function chooseCallbackTarget({
  url,
  settings,
  metadataUrl,
  callbackPort,
  server,
  record,
}: TargetOptions): CallbackTarget {
  const isDocument = metadataUrl !== undefined && server.client_id_metadata_document_supported === true;
  const isKnownBefore = settings?.clientId !== undefined || isDocument;
  const last = previousTarget(record?.redirectUri);
  const path = isKnownBefore ? '/callback' : (last?.path ?? `/callback/${randomHex(16)}`);
  if (callbackPort !== undefined) return { path, ports: [callbackPort] };
  return { path, ports: [...(last === undefined ? [] : [last.port]), derivePort(url), 0] };
}

interface PreviousTarget {
  readonly port: number;
  /** Undefined if the path is guessable. */
  readonly path: string | undefined;
}

function previousTarget(redirectUri: string | undefined): PreviousTarget | undefined {
  const url = redirectUri !== undefined && URL.canParse(redirectUri) ? new URL(redirectUri) : undefined;
  if (url?.hostname !== '127.0.0.1' || url.protocol !== 'http:' || url.port === '') return undefined;
  return { port: Number(url.port), path: SECRET_PATH.test(url.pathname) ? url.pathname : undefined };
}

const SECRET_PATH = /^\/callback\/[0-9a-f]{32}$/;

/** Derives a port that is the same for the same server on every machine, below the ephemeral port range. */
function derivePort(url: string): number {
  return FIRST_PORT + (Number.parseInt(sha256(url).slice(0, 8), 16) % PORTS);
}

const FIRST_PORT = 20_000;
const PORTS = 10_000;
