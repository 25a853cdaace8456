import { isObject, type JsonObject } from '../../../../wire/messages.ts';
import type { ExecEvent } from './exec-event.ts';
import { readUsage, textOf } from './fields.ts';
import { readItem, readPlan } from './items.ts';
import { readLegacyEvents } from './legacy-events.ts';

/**
 * Parses one line of `codex exec --json`. Supports three formats: the current one, the previous one with `item_type`
 * and `assistant_message`, and that of 0.42 and earlier, which is `{id, msg}`. Returns no events for an unknown type,
 * and undefined if the line is not a JSON object.
 */
export function parseExecLine(line: string): readonly ExecEvent[] | undefined {
  const event = parseObject(line);
  if (event === undefined) return undefined;
  return isObject(event['msg']) ? readLegacyEvents(event['msg']) : readEvents(event);
}

function parseObject(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    // Another program wrote to stdout. The caller logs a warning.
    return undefined;
  }
}

function readEvents(event: JsonObject): readonly ExecEvent[] {
  switch (event['type']) {
    case 'thread.started':
    case 'session.created':
      return sessionOf(event);
    case 'turn.started':
      return [{ kind: 'turn-started' }];
    case 'item.started':
      return itemOf(event, 'started');
    case 'item.updated':
      return itemOf(event, 'in_progress');
    case 'item.completed':
      return itemOf(event, 'completed');
    case 'turn.completed':
      return [...usageOf(event), { kind: 'turn-completed', lastMessage: undefined }];
    case 'turn.failed':
      return [{ kind: 'turn-failed', message: messageIn(event) }];
    case 'error':
      return [{ kind: 'error', message: messageIn(event) }];
    default:
      return [];
  }
}

function sessionOf(event: JsonObject): readonly ExecEvent[] {
  const sessionId = textOf(event['thread_id']) ?? textOf(event['session_id']);
  return sessionId === undefined ? [] : [{ kind: 'session', sessionId, model: undefined }];
}

function itemOf(event: JsonObject, phase: 'started' | 'in_progress' | 'completed'): readonly ExecEvent[] {
  if (!isObject(event['item'])) return [];
  const item = readItem(event['item'], phase);
  const plan = item.type === 'todo_list' ? readPlan(event['item']['items']) : undefined;
  return plan === undefined
    ? [{ kind: 'item', item }]
    : [
        { kind: 'item', item },
        { kind: 'plan', plan },
      ];
}

function usageOf(event: JsonObject): readonly ExecEvent[] {
  const total = readUsage(event['usage']);
  return total === undefined ? [] : [{ kind: 'usage', total, contextWindow: undefined }];
}

/** The message is in `message`, in `error`, or in `error.message`. */
function messageIn(event: JsonObject): string {
  const { error } = event;
  return textOf(event['message']) ?? (isObject(error) ? textOf(error['message']) : textOf(error)) ?? 'no reason given';
}
