import type { OutgoingHttpHeaders } from 'node:http';
import { AppError } from '../../../../base/errors.ts';
import { type OutgoingMessage, outgoingText } from '../../../../wire/json/splice.ts';
import { isObject, type JsonObject } from '../../../../wire/messages.ts';
import type { HttpEndpoint, SessionSettings } from '../endpoint.ts';
import { isIdle } from '../front-state.ts';
import type { OpeningSession } from '../http-exchange.ts';
import type { HttpLimits } from '../limits.ts';
import type { Principal } from '../principal.ts';
import { type Refusal, refuseAsBusy, refuseUnknownSession } from '../refusal.ts';
import type { SessionIds } from '../session-ids.ts';
import { LegacySession } from './legacy-session.ts';

/** The place of a request: an endpoint, under a path, and who sends it. */
export interface Target {
  readonly endpoint: HttpEndpoint;
  readonly path: string;
  readonly principal: Principal;
}

/** The sessions of the legacy era. */
export class LegacySessions {
  readonly #ids: SessionIds;
  readonly #limits: HttpLimits;
  readonly #sessions = new Map<string, LegacySession>();
  /** The sessions whose `initialize` is not answered yet. */
  readonly #opening = new Set<LegacySession>();
  #isHandedOver = false;

  constructor(ids: SessionIds, limits: HttpLimits) {
    this.#ids = ids;
    this.#limits = limits;
  }

  get size(): number {
    return this.#sessions.size + this.#opening.size;
  }

  *all(): Iterable<LegacySession> {
    yield* this.#sessions.values();
    yield* this.#opening;
  }

  /** Returns the session of a request, if it belongs to its token and path. A session of an earlier process is restored. */
  find(id: string, target: Target): LegacySession | Refusal {
    const session = this.#sessions.get(id);
    if (session === undefined) return this.#restore(id, target);
    const isOwner = session.principal.tokenId === target.principal.tokenId && session.path === target.path;
    if (!isOwner) return refuseUnknownSession();
    session.idleHeartbeats = 0;
    return session;
  }

  /** Opens a session for an `initialize` request. The session gets its id with the response. */
  open(target: Target, params: unknown): { session: LegacySession; opening: OpeningSession } | Refusal {
    if (this.size >= this.#limits.maxSessions) return tooManySessions(this.#limits.maxSessions);
    const session = this.#create(target);
    this.#opening.add(session);
    const failed = () => {
      if (this.#opening.delete(session)) session.connection.close(notOpened());
    };
    const opened = (response: OutgoingMessage): OutgoingHttpHeaders => {
      const protocolVersion = negotiatedVersion(response);
      if (protocolVersion === undefined || !this.#opening.has(session)) {
        failed();
        return {};
      }
      this.#opening.delete(session);
      const initializeParams: JsonObject = { ...(isObject(params) ? params : {}), protocolVersion };
      const id = this.#ids.create({ principal: target.principal, path: target.path, initializeParams });
      session.id = id;
      session.protocolVersion = protocolVersion;
      this.#sessions.set(id, session);
      return { 'Mcp-Session-Id': id };
    };
    return { session, opening: { opened, failed } };
  }

  /** From now on, another process continues the sessions, and only that process may end them. */
  handOver(): void {
    this.#isHandedOver = true;
  }

  /** Ends a session for good: its id is never valid again. */
  end(session: LegacySession, refusal: Refusal): void {
    if (session.id !== undefined) this.#ids.close(session.id);
    this.close(session, refusal);
  }

  /** Removes a session from memory. Requests that are still running get the refusal as their answer. */
  close(session: LegacySession, refusal: Refusal): void {
    if (session.id !== undefined) this.#sessions.delete(session.id);
    this.#opening.delete(session);
    session.closedBecause ??= refusal;
    session.connection.close(refusal.error);
    session.endStreams();
  }

  /** Closes the sessions of clients that have had no connection for too long. Called at every heartbeat. */
  expire(): void {
    for (const session of this.#sessions.values()) {
      if (session.isConnected) session.idleHeartbeats = 0;
      else session.idleHeartbeats++;
      if (session.id !== undefined && session.idleHeartbeats <= 1) this.#ids.used(session.id);
      else if (isIdle(session, this.#limits)) this.close(session, refuseUnknownSession());
    }
  }

  #create(target: Target, restored?: ReturnType<SessionIds['open']>): LegacySession {
    const onSettings = ({ id }: LegacySession, settings: SessionSettings) => {
      if (id !== undefined) this.#ids.save(id, settings);
    };
    return new LegacySession({ ...target, limits: this.#limits, restored, onSettings });
  }

  #restore(id: string, target: Target): LegacySession | Refusal {
    if (this.#isHandedOver) return HANDED_OVER;
    const restored = this.#ids.open(id, { tokenId: target.principal.tokenId, path: target.path });
    if (restored === undefined) return refuseUnknownSession();
    // Not 404: the session is alive, and most clients do not initialize again.
    if (this.size >= this.#limits.maxSessions) return tooManySessions(this.#limits.maxSessions);
    this.#ids.used(id);
    const session = this.#create(target, restored);
    session.id = id;
    this.#sessions.set(id, session);
    return session;
  }
}

function negotiatedVersion(response: OutgoingMessage): string | undefined {
  const message: unknown = JSON.parse(outgoingText(response));
  const result = isObject(message) ? message['result'] : undefined;
  const version = isObject(result) ? result['protocolVersion'] : undefined;
  return typeof version === 'string' ? version : undefined;
}

function tooManySessions(maxSessions: number): Refusal {
  return refuseAsBusy(503, `There are already ${maxSessions} sessions. End one with DELETE, or try again later.`);
}

export const HANDED_OVER = refuseAsBusy(503, 'The server is being restarted. Try again in a moment.');

function notOpened(): AppError {
  return new AppError('CONNECTION_CLOSED', 'The session was not opened.');
}
