import { isObject, type JsonObject } from '../../../wire/messages.ts';
import { objectsOf, stringsOf } from '../../json-values.ts';
import { statusOf, toChanges, toCommand, toInvocation, toMcpOutcome, toOutcome, toTurnItem } from './legacy-items.ts';
import { toSnake } from './name-case.ts';

/** Converts the start of an item: the event that all items have, then the older one of its type. */
export function toStartEvents({ threadId, turnId, item, startedAtMs }: JsonObject): readonly JsonObject[] {
  if (!isObject(item)) return [];
  const names = { thread_id: threadId, turn_id: turnId };
  const began = { started_at_ms: startedAtMs ?? item['startedAtMs'] };
  return [{ type: 'item_started', ...names, item: toTurnItem(item), ...began }, ...toLegacyStart(item, turnId, began)];
}

/** Converts the end of an item, in the same order. */
export function toEndEvents({ threadId, turnId, item, completedAtMs }: JsonObject): readonly JsonObject[] {
  if (!isObject(item)) return [];
  const names = { thread_id: threadId, turn_id: turnId };
  const ended = { completed_at_ms: completedAtMs ?? item['completedAtMs'] };
  const times = { started_at_ms: item['startedAtMs'], ...ended };
  return [{ type: 'item_completed', ...names, item: toTurnItem(item), ...times }, ...toLegacyEnd(item, turnId, ended)];
}

function toLegacyStart(item: JsonObject, turnId: unknown, began: JsonObject): readonly JsonObject[] {
  const call = { call_id: item['id'] };
  switch (item['type']) {
    case 'commandExecution':
      return [{ type: 'exec_command_begin', ...call, turn_id: turnId, ...began, ...toCommand(item) }];
    case 'fileChange':
      return [{ type: 'patch_apply_begin', ...call, turn_id: turnId, changes: toChanges(item['changes']) }];
    case 'mcpToolCall':
      return [{ type: 'mcp_tool_call_begin', ...call, invocation: toInvocation(item) }];
    case 'webSearch':
      return [{ type: 'web_search_begin', ...call }];
  }
  return [];
}

function toLegacyEnd(item: JsonObject, turnId: unknown, ended: JsonObject): readonly JsonObject[] {
  const call = { call_id: item['id'] };
  const status = statusOf(item);
  switch (item['type']) {
    case 'userMessage':
      return [toUserMessage(item['content'])];
    case 'agentMessage':
      return [agentMessage(item)];
    case 'reasoning':
      return [
        ...stringsOf(item['summary']).map((text) => ({ type: 'agent_reasoning', text })),
        ...stringsOf(item['content']).map((text) => ({ type: 'agent_reasoning_raw_content', text })),
      ];
    case 'commandExecution': {
      const facts = { turn_id: turnId, ...ended, ...toCommand(item), ...toOutcome(item), status };
      return [{ type: 'exec_command_end', ...call, ...facts }];
    }
    case 'fileChange': {
      const facts = { success: status === 'completed', changes: toChanges(item['changes']), status };
      return [{ type: 'patch_apply_end', ...call, turn_id: turnId, ...facts }];
    }
    case 'mcpToolCall':
      return [{ type: 'mcp_tool_call_end', ...call, invocation: toInvocation(item), ...toMcpOutcome(item) }];
    case 'webSearch':
      return [{ type: 'web_search_end', ...call, query: item['query'], action: toAction(item['action']) }];
    case 'imageView':
      return [{ type: 'view_image_tool_call', ...call, path: item['path'] }];
    case 'contextCompaction':
      return [{ type: 'context_compacted' }];
  }
  return [];
}

function agentMessage({ text, phase, memoryCitation }: JsonObject): JsonObject {
  return { type: 'agent_message', message: text, phase: phase ?? null, memory_citation: memoryCitation ?? null };
}

function toUserMessage(content: unknown): JsonObject {
  const parts = objectsOf(content);
  const of = (type: string, member: string) =>
    parts.filter((part) => part['type'] === type).map((part) => part[member]);
  return {
    type: 'user_message',
    message: of('text', 'text').join(''),
    images: of('image', 'url'),
    local_images: of('localImage', 'path'),
    audio: of('audio', 'url'),
    local_audio: of('localAudio', 'path'),
    text_elements: of('text', 'text_elements').flat(),
  };
}

function toAction(action: unknown): unknown {
  return isObject(action) ? { ...action, type: toSnake(String(action['type'])) } : (action ?? null);
}
