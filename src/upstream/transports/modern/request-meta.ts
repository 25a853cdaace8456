import { CAPABILITIES_KEY, CLIENT_INFO_KEY, LOG_LEVEL_KEY, VERSION_KEY } from '../../../wire/envelope-keys.ts';
import type { JsonObject } from '../../../wire/messages.ts';
import { MODERN_VERSION } from '../../../wire/protocol-versions.ts';

/** The `_meta` members that every request to a modern server carries. */
export interface RequestMeta {
  members(): JsonObject;
  /** Takes over the client of `initialize` params. */
  setClient(initializeParams: JsonObject): void;
  setLogLevel(level: unknown): void;
}

export function createRequestMeta(): RequestMeta {
  let members: JsonObject = { [VERSION_KEY]: MODERN_VERSION, [CAPABILITIES_KEY]: {} };
  return {
    members: () => members,
    setClient(initializeParams) {
      members = clientMembers(initializeParams);
    },
    setLogLevel(level) {
      members = { ...members, [LOG_LEVEL_KEY]: level };
    },
  };
}

export function clientMembers({ clientInfo, capabilities }: JsonObject): JsonObject {
  return { [VERSION_KEY]: MODERN_VERSION, [CLIENT_INFO_KEY]: clientInfo, [CAPABILITIES_KEY]: capabilities ?? {} };
}
