import { setBounded } from '../../../base/set-bounded.ts';
import type { JsonObject, RequestId } from '../../../wire/messages.ts';
import type { Session } from '../../sessions/session.ts';
import { createCallEvents } from './call-events.ts';

/** Forwards app-server notifications to the calls that they belong to. */
export interface EventRouter {
  /** Called for every notification of the engine, unchanged. */
  dispatch(sessionId: string, method: string, params: JsonObject): void;
  /** Subscribes a call to a session. It replaces the previous subscriber. */
  subscribe(session: Session, call: EventSubscriber): CallEvents;
}

export interface EventSubscriber {
  readonly requestId: RequestId;
  /** The session is new to this server and must be announced. */
  readonly isNew: boolean;
  readonly notify: (params: JsonObject) => void;
}

/** The `codex/event` notifications of one call. */
export interface CallEvents {
  send(eventId: string, message: JsonObject): void;
  /** Releases the events of a command that was approved and may start now. */
  approved(itemId: string | undefined): void;
  stop(): void;
}

/** For a call without events. */
export const NO_EVENTS: CallEvents = { send() {}, approved() {}, stop() {} };

/** The maximum number of sessions without a subscriber, and of notifications for each. Drops the oldest session. */
const MAX_BUFFERED = 1000;
/** More than can run at once. Beyond this number are calls that were cancelled long ago. */
const MAX_SUBSCRIBED = 2000;

export function createEventRouter(): EventRouter {
  const subscribers = new Map<string, { receive(method: string, params: JsonObject): void }>();
  const buffered = new Map<string, BufferedNotification[]>();

  /** Buffers notifications that arrive before the response that names their session. */
  const buffer = (sessionId: string, method: string, params: JsonObject) => {
    if (!BUFFERED_METHODS.has(method)) return;
    const notifications = buffered.get(sessionId) ?? [];
    if (notifications.length < MAX_BUFFERED)
      setBounded(buffered, sessionId, [...notifications, { method, params }], MAX_BUFFERED);
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
      setBounded(subscribers, session.id, events, MAX_SUBSCRIBED);
      for (const { method, params } of buffered.get(session.id) ?? []) events.receive(method, params);
      buffered.delete(session.id);
      const stop = () => {
        if (subscribers.get(session.id) === events) subscribers.delete(session.id);
      };
      return { send: events.send, approved: events.approved, stop };
    },
  };
}

interface BufferedNotification {
  readonly method: string;
  readonly params: JsonObject;
}

const BUFFERED_METHODS: ReadonlySet<string> = new Set(['thread/started', 'mcpServer/startupStatus/updated', 'warning']);
