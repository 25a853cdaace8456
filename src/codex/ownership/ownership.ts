import { unknownSession } from '../sessions/session-errors.ts';
import type { SessionOwners } from './session-owners.ts';

/** The sessions that the clients of one server may use. */
export interface Ownership {
  /** Throws the error for an unknown session if the session belongs to somebody else. */
  assertOwn(sessionId: string): void;
  owns(sessionId: string): boolean;
  /** Stores that a new session belongs to these clients. Throws if that is not possible. */
  record(sessionId: string): void;
  /** The ids of all their sessions, newest first. Undefined if only Codex can list them. */
  sessionIds(): readonly string[] | undefined;
}

/** Returns the sessions that a token has started over HTTP. */
export function ownershipOfToken(owners: SessionOwners, tokenId: string): Ownership {
  return {
    ...accessTo((sessionId) => owners.ownerOf(sessionId) === tokenId),
    record: (sessionId) => owners.record(sessionId, tokenId),
    sessionIds: () => owners.sessionsOf(tokenId),
  };
}

/** Returns the sessions of the local user: all that belong to no token. */
export function ownershipOfUser(owners: SessionOwners): Ownership {
  return {
    // Codex accepts other spellings of an id, which are not in the file of owners.
    ...accessTo((sessionId) => SESSION_ID.test(sessionId) && owners.ownerOf(sessionId) === undefined),
    record() {},
    sessionIds: () => undefined,
  };
}

const SESSION_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function accessTo(owns: (sessionId: string) => boolean): Pick<Ownership, 'owns' | 'assertOwn'> {
  return {
    owns,
    assertOwn(sessionId) {
      if (!owns(sessionId)) throw unknownSession(sessionId);
    },
  };
}
