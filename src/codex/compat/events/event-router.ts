import type { RequestId } from '../../../wire/messages.ts';
import type { Session } from '../../sessions/session.ts';
import { createCallEvents } from './call-events.ts';

type Members = Readonly<Record<string, unknown>>;

/** Brings what the app-server notifies to the calls that it belongs to. */
export interface EventRouter {
  /** For every notification of the engine, as it came. */
  dispatch(sessionId: string, method: string, params: Members): void;
  /** From now on this call hears of the session; whoever heard of it before no longer does. */
  subscribe(session: Session, call: EventSubscriber): CallEvents;
}

export interface EventSubscriber {
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
const MAX_BUFFERED = 1000;
/** More than can run at once: beyond are those whose call was cancelled long ago. */
const MAX_SUBSCRIBED = 2000;

export function createEventRouter(): EventRouter {
  const subscribers = new Map<string, { receive(method: string, params: Members): void }>();
  const buffered = new Map<string, BufferedNotification[]>();

  /** The news of a session may be here before the answer that names it. */
  const buffer = (sessionId: string, method: string, params: Members) => {
    if (!BUFFERED_METHODS.has(method)) return;
    const notifications = buffered.get(sessionId) ?? [];
    if (notifications.length < MAX_BUFFERED) buffered.set(sessionId, [...notifications, { method, params }]);
    forgetOldest(buffered, MAX_BUFFERED);
  };

  return {
    dispatch(sessionId, method, params) {
      const subscriber = subscribers.get(sessionId);
      if (subscriber === undefined) buffer(sessionId, method, params);
      else subscriber.receive(method, params);
    },
    subscribe(session, call) {
      const events = createCallEvents(session, call);
      subscribers.delete(session.id);
      subscribers.set(session.id, events);
      forgetOldest(subscribers, MAX_SUBSCRIBED);
      for (const { method, params } of buffered.get(session.id) ?? []) events.receive(method, params);
      buffered.delete(session.id);
      const stop = () => {
        if (subscribers.get(session.id) === events) subscribers.delete(session.id);
      };
      return { send: events.send, approved: events.approved, stop };
    },
  };
}

function forgetOldest(entries: Map<string, unknown>, max: number): void {
  const [oldest] = entries.keys();
  if (entries.size > max && oldest !== undefined) entries.delete(oldest);
}

interface BufferedNotification {
  readonly method: string;
  readonly params: Members;
}

const BUFFERED_METHODS: ReadonlySet<string> = new Set(['thread/started', 'mcpServer/startupStatus/updated', 'warning']);
