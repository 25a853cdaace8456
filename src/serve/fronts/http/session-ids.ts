import { randomUUID } from 'node:crypto';
import type { RestoredSession, SessionSettings } from './endpoint.ts';
import type { Principal } from './principal.ts';

/** A session that `initialize` has opened. */
export interface NewSession {
  readonly principal: Principal;
  /** The path of its endpoint. The id is valid only there. */
  readonly path: string;
  /** The params of `initialize`, with the negotiated `protocolVersion`. */
  readonly initializeParams: Readonly<Record<string, unknown>>;
}

/** The ids of legacy sessions, and the memory behind them. Ids are visible ASCII without spaces. */
export interface SessionIds {
  create(session: NewSession): string;
  /** Returns a session that is not in memory. Undefined if the id is not valid for this token and path. */
  open(id: string, client: { readonly tokenId: string; readonly path: string }): RestoredSession | undefined;
  save(id: string, settings: SessionSettings): void;
  /** Called at every heartbeat while a session is in use. */
  used(id: string): void;
  /** Called when a session has ended for good: the client deleted it, or its token was revoked. */
  close(id: string): void;
}

/** Creates ids of sessions that end with the process. */
export function createRandomSessionIds(): SessionIds {
  return { create: () => randomUUID(), open: () => undefined, save() {}, used() {}, close() {} };
}
