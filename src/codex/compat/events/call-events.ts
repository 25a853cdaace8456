import { omitUndefined } from '../../../base/omit-undefined.ts';
import { isObject, type JsonObject } from '../../../wire/messages.ts';
import type { Session } from '../../sessions/session.ts';
import type { EventSubscriber } from './event-router.ts';
import { createHeldCommands, type LegacyEvent } from './held-commands.ts';
import { createMcpStartup } from './mcp-startup.ts';
import { toLegacyEvents } from './translate.ts';

/** Converts the notifications about one session to the events of one call, in the order of the old server. */
export function createCallEvents(session: Session, { requestId, isNew, notify }: EventSubscriber) {
  const startup = createMcpStartup();
  const held = createHeldCommands();
  let isConfigured = !isNew;
  let isStartupSent = !isNew;
  let hasBegun = false;
  /** Events from before the turn. They are sent after the event that announces the session. */
  const buffered: LegacyEvent[] = [];

  /** The last agent message, because an old Codex does not repeat it at the end of the turn. */
  let lastMessage: unknown = null;

  const send = (id: string, msg: JsonObject) =>
    notify({ _meta: { requestId, threadId: session.id }, id, msg: omitUndefined(msg) });

  const configure = (thread: JsonObject) => {
    if (!isConfigured) send('', toConfigured(session, thread));
    isConfigured = true;
  };

  const sendStartup = () => {
    if (isStartupSent || !hasBegun || !startup.isOver()) return;
    isStartupSent = true;
    send('', { type: 'mcp_startup_complete', ...startup.outcome() });
  };

  const sendAll = (all: readonly LegacyEvent[]) => {
    for (const { notification, message } of all) {
      if (message['type'] === 'agent_message') lastMessage = message['message'];
      const lacksMessage = message['type'] === 'task_complete' && message['last_agent_message'] === null;
      send(eventIdOf(notification), lacksMessage ? { ...message, last_agent_message: lastMessage } : message);
    }
  };

  const begin = () => {
    configure({});
    hasBegun = true;
    sendStartup();
    sendAll(buffered.splice(0));
  };

  return {
    send,
    receive(method: string, params: JsonObject): void {
      if (method === 'thread/started') configure(isObject(params['thread']) ? params['thread'] : {});
      if (method === 'mcpServer/startupStatus/updated') startup.update(params);
      if (method === 'turn/started' && !hasBegun) begin();
      sendStartup();
      const events = held.pass(method, params, toLegacyEvents(method, params));
      if (hasBegun) sendAll(events);
      else if (method === 'warning' && buffered.length < MAX_BUFFERED) buffered.push(...events);
    },
    approved: (itemId: string | undefined) => sendAll(held.release(itemId)),
  };
}

const MAX_BUFFERED = 100;

function toConfigured({ id, opened }: Session, { modelProvider, path }: JsonObject): JsonObject {
  const { model, approvalPolicy, sandbox, cwd } = opened;
  return {
    type: 'session_configured',
    session_id: id,
    thread_id: id,
    model,
    model_provider_id: modelProvider,
    approval_policy: approvalPolicy,
    sandbox_policy: sandbox === undefined ? undefined : { type: sandbox },
    cwd,
    rollout_path: path ?? undefined,
  };
}

/** Returns the turn id of a notification. Empty if it does not belong to a turn. */
function eventIdOf({ turnId, turn }: JsonObject): string {
  const id = isObject(turn) ? turn['id'] : turnId;
  return typeof id === 'string' ? id : '';
}
