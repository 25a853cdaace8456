import type { RequestId } from '../../../wire/messages.ts';
import type { Session } from '../../sessions/session.ts';
import { createCallEvents } from './call-events.ts';

type Members = Readonly<Record<string, unknown>>;

/** Brings what the app-server notifies to the calls that it belongs to. */
export interface EventHub {
  /** For every notification of the engine, as it came. */
  notified(sessionId: string, method: string, params: Members): void;
  /** From now on this call hears of the session; whoever heard of it before no longer does. */
  follow(session: Session, call: Listening): CallEvents;
}

export interface Listening {
  readonly requestId: RequestId;
  /** The session was not here before, and has to be told. */
  readonly isNew: boolean;
  readonly notify: (params: Members) => void;
}

/** The `codex/event` notifications of one call. */
export interface CallEvents {
  send(eventId: string, message: Members): void;
  /** What was asked about may begin now. */
  approved(itemId: string | undefined): void;
  stop(): void;
}

/** For a call that nobody wants to hear of. */
export const NO_EVENTS: CallEvents = { send() {}, approved() {}, stop() {} };

/** So many sessions may have said something, and so much, before anybody followed them; the oldest are forgotten. */
const MAX_EARLY = 1000;
/** More than can run at once: beyond are those whose call was cancelled long ago. */
const MAX_FOLLOWED = 2000;

export function createEventHub(): EventHub {
  const followed = new Map<string, { heard(method: string, params: Members): void }>();
  const early = new Map<string, Heard[]>();

  /** The news of a session may be here before the answer that names it. */
  const keep = (sessionId: string, method: string, params: Members) => {
    if (!EARLY_METHODS.has(method)) return;
    const heard = early.get(sessionId) ?? [];
    if (heard.length < MAX_EARLY) early.set(sessionId, [...heard, { method, params }]);
    forgetOldest(early, MAX_EARLY);
  };

  return {
    notified(sessionId, method, params) {
      const follower = followed.get(sessionId);
      if (follower === undefined) keep(sessionId, method, params);
      else follower.heard(method, params);
    },
    follow(session, call) {
      const events = createCallEvents(session, call);
      followed.delete(session.id);
      followed.set(session.id, events);
      forgetOldest(followed, MAX_FOLLOWED);
      for (const { method, params } of early.get(session.id) ?? []) events.heard(method, params);
      early.delete(session.id);
      const stop = () => {
        if (followed.get(session.id) === events) followed.delete(session.id);
      };
      return { send: events.send, approved: events.approved, stop };
    },
  };
}

function forgetOldest(entries: Map<string, unknown>, max: number): void {
  const [oldest] = entries.keys();
  if (entries.size > max && oldest !== undefined) entries.delete(oldest);
}

interface Heard {
  readonly method: string;
  readonly params: Members;
}

const EARLY_METHODS: ReadonlySet<string> = new Set(['thread/started', 'mcpServer/startupStatus/updated', 'warning']);
