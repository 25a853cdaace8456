import { isObject } from '../../../wire/messages.ts';
import type { EngineEvent, EngineListener } from '../../engine.ts';
import type { AppServerClient } from './client.ts';
import type { ConnectionReceiver } from './connection.ts';
import { createEventReader } from './protocol/events.ts';
import { parseServerRequest } from './protocol/server-requests.ts';
import type { SubAgents } from './sub-agents.ts';
import type { Threads } from './threads.ts';

export interface ReceiverOptions {
  readonly client: Pick<AppServerClient, 'isOld'>;
  readonly listener: EngineListener;
  readonly threads: Pick<Threads, 'turnStarted' | 'turnEnded' | 'trackItem' | 'forget' | 'clear'>;
  readonly subAgents: SubAgents;
}

/** Converts everything that one app-server process sends, and keeps track of its turns, agents and commands. */
export function createReceiver({ client, listener, threads, subAgents }: ReceiverOptions): ConnectionReceiver {
  const reader = createEventReader(() => client.isOld);

  const track = (threadId: string, event: EngineEvent) => {
    if (event.kind === 'turn-started') threads.turnStarted(threadId, event.turnId);
    if (event.kind === 'item') threads.trackItem(threadId, event.item);
    if (event.kind === 'turn-ended') threads.turnEnded(threadId);
  };

  return {
    notification(method, params) {
      const threadId = isObject(params['thread']) ? params['thread']['id'] : params['threadId'];
      if (method === 'account/rateLimits/updated') reader.read(method, params);
      if (typeof threadId !== 'string') return;
      if (method === 'serverRequest/resolved')
        listener.approvalsWithdrawn(({ requestId }) => requestId === params['requestId']);
      if (method === 'thread/closed') threads.forget(threadId);
      if (method === 'item/started' || method === 'item/completed') subAgents.observe(threadId, params);
      for (const event of reader.read(method, params)) {
        track(threadId, event);
        listener.event(threadId, event);
        // An old Codex does not report that it no longer waits for the requests of a turn.
        if (event.kind === 'turn-ended') listener.approvalsWithdrawn((approval) => approval.threadId === threadId);
      }
      listener.notification?.(threadId, method, params);
    },
    request(request) {
      const parsed = parseServerRequest(request, reader.filesOf);
      if (parsed.kind === 'answered') return parsed.result;
      const { approval } = parsed;
      return listener.approvalRequested(subAgents.sessionOf(approval.threadId), approval);
    },
    crashed(reason) {
      threads.clear();
      subAgents.clear();
      listener.approvalsWithdrawn(() => true);
      listener.crashed(reason);
    },
  };
}
