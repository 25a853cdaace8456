import { SERVER_INFO_KEY } from '../../../wire/envelope-keys.ts';
import { isObject, type JsonObject, type RequestId, requestText } from '../../../wire/messages.ts';
import { MODERN_VERSION } from '../../../wire/protocol-versions.ts';

/** The request with which a modern server is asked what it supports. */
export const DISCOVER = 'server/discover';

export function discoverText(id: RequestId, meta: JsonObject): string {
  return requestText(id, DISCOVER, { _meta: meta });
}

/** Returns the result of `server/discover`; undefined if the response says that the server is not modern. */
export function readDiscovered(response: unknown): JsonObject | undefined {
  const result = isObject(response) ? response['result'] : undefined;
  const versions = isObject(result) ? result['supportedVersions'] : undefined;
  return isObject(result) && Array.isArray(versions) && versions.includes(MODERN_VERSION) ? result : undefined;
}

/** Builds the `initialize` result that a legacy server would have sent. */
export function toLegacyInitializeResult(discovered: JsonObject, where: string): JsonObject {
  const { _meta: meta, capabilities = {}, instructions } = discovered;
  const reported = isObject(meta) ? meta[SERVER_INFO_KEY] : undefined;
  const serverInfo = reported ?? discovered['serverInfo'] ?? { name: where, version: '' };
  return {
    protocolVersion: MODERN_VERSION,
    capabilities,
    serverInfo,
    ...(instructions === undefined ? {} : { instructions }),
  };
}
