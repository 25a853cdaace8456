import { join } from 'node:path';
import { readFileSignature } from '../../base/files/file-signature.ts';
import { openPrivateJson, type PrivateJson } from '../../config/files/private-json.ts';
import { pick, readStringMap } from '../../config/json/decode.ts';

/** Which token has started which session over HTTP, in a file that all processes of this user share. */
export interface SessionOwners {
  /** Returns the id of the token. Undefined for a session that was not started over HTTP, or by the local user. */
  ownerOf(sessionId: string): string | undefined;
  /** Returns the ids of the sessions of a token, newest first. */
  sessionsOf(tokenId: string): readonly string[];
  /** Stores the owner of a new session. Throws if that is not possible. */
  record(sessionId: string, tokenId: string): void;
}

/** Above this number, the oldest sessions are forgotten. They then belong to the local user. */
const MAX_SESSIONS = 5_000;

/**
 * Opens the owners. `parent` is Switchboard's data folder. Throws `CONFIG_INVALID`, also later, if the file is damaged
 * or has a newer version, because the owners are then unknown.
 */
export function openSessionOwners(parent: string): SessionOwners {
  const json = openPrivateJson({
    file: join(parent, 'codex-owners.json'),
    version: 1,
    maxBytes: 1024 * 1024,
    subject: 'The owners of Codex sessions',
    remedy:
      'Move it away. All sessions of HTTP clients then belong to you, and the clients can no longer continue them.',
  });
  let known = readOwners(json);
  let signature = '';

  /** Reads the file again if another process has changed it. */
  const current = (): Owners => {
    const found = readFileSignature(json.file);
    if (found === signature) return known;
    known = readOwners(json);
    signature = found;
    return known;
  };

  return {
    ownerOf: (sessionId) => current().get(sessionId),
    sessionsOf: (tokenId) =>
      [...current()]
        .filter(([, owner]) => owner === tokenId)
        .map(([sessionId]) => sessionId)
        .reverse(),
    record(sessionId, tokenId) {
      json.withLock(() => {
        const entries = [...readOwners(json).set(sessionId, tokenId)].slice(-MAX_SESSIONS);
        json.write({ sessions: Object.fromEntries(entries) });
      });
    },
  };
}

/** The token of each session, oldest session first. */
type Owners = Map<string, string>;

function readOwners(json: PrivateJson): Owners {
  const root = json.read();
  if (root === undefined) return new Map();
  const sessions = pick(root, 'sessions');
  if (sessions === undefined) throw json.damaged('"sessions" is missing');
  return new Map(Object.entries(readStringMap(sessions, () => undefined)));
}
