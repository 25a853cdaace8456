import type { FrontClient, FrontState } from './front-state.ts';
import { LegacySessions } from './legacy/legacy-sessions.ts';
import { ModernClients } from './modern/modern-clients.ts';
import type { Refusal } from './refusal.ts';
import type { SessionIds } from './session-ids.ts';

/** All clients of a front. */
export interface FrontClients {
  readonly sessions: LegacySessions;
  readonly modernClients: ModernClients;
  /** Whether calls are running whose clients wait for a response. */
  readonly isBusy: boolean;
  /** Keeps open streams alive, and closes clients that have disappeared. Called at regular intervals. */
  heartbeat(): void;
  /** Closes the clients of a token for good, or all clients. Sessions of the latter may continue in another process. */
  close(refusal: Refusal, tokenId?: string): void;
  /** Closes the clients that are not waiting for a response. */
  closeWaiting(refusal: Refusal): void;
}

export function createFrontClients(state: FrontState, ids: SessionIds): FrontClients {
  const sessions = new LegacySessions(ids, state.limits);
  const modernClients = new ModernClients(state.limits);
  let lastHeartbeatAt = performance.now();

  return {
    sessions,
    modernClients,
    get isBusy() {
      for (const client of [...sessions.all(), ...modernClients.all()]) if (isAwaited(client)) return true;
      return false;
    },
    heartbeat() {
      const now = performance.now();
      const { heartbeatMs } = state.limits;
      const isLate = now - lastHeartbeatAt > heartbeatMs + Math.max(heartbeatMs / 4, MIN_DELAY_MS);
      lastHeartbeatAt = now;
      for (const exchange of state.exchanges) exchange.heartbeat();
      for (const stream of state.streams) stream.heartbeat();
      // A process that is too busy cannot tell whether its clients are idle.
      if (isLate) return;
      sessions.expire();
      modernClients.expire();
    },
    close(refusal, tokenId) {
      const matches = ({ principal }: FrontClient) => tokenId === undefined || principal.tokenId === tokenId;
      for (const session of [...sessions.all()].filter(matches)) {
        if (tokenId === undefined) sessions.close(session, refusal);
        else sessions.end(session, refusal);
      }
      for (const client of [...modernClients.all()].filter(matches)) modernClients.close(client, refusal);
    },
    closeWaiting(refusal) {
      for (const session of sessions.all()) if (!isAwaited(session)) sessions.close(session, refusal);
      for (const client of modernClients.all()) if (!isAwaited(client)) modernClients.close(client, refusal);
    },
  };
}

/** Shorter delays of a heartbeat are normal. */
const MIN_DELAY_MS = 50;

function isAwaited({ openRequests, connection, isSending }: FrontClient): boolean {
  return isSending || (openRequests > 0 && connection.isBusy);
}
