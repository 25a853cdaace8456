import { isObject, type JsonObject } from '../../../../wire/messages.ts';
import type { FileChange, Item, ItemType } from '../../../item-types.ts';
import { summarize, summarizeFiles, summarizeTool } from '../../../text/item-summaries.ts';
import type { ExecEvent } from './exec-event.ts';
import { listOf, readUsage, textOf } from './fields.ts';
import { readCommandFailure, readPlan } from './items.ts';

/** Reads `msg` of `{id, msg}`, the format of 0.42 and earlier. */
export function readLegacyEvents(msg: JsonObject): readonly ExecEvent[] {
  const message = textOf(msg['message']) ?? '';
  switch (msg['type']) {
    case 'session_configured':
      return sessionOf(msg);
    case 'task_started':
      return [{ kind: 'turn-started' }];
    case 'agent_message':
      return [itemOf(msg, 'agent_message', { status: 'completed', summary: message, text: message })];
    case 'agent_reasoning':
      return [itemOf(msg, 'reasoning', { status: 'completed', summary: textOf(msg['text']) ?? '' })];
    case 'token_count':
      return usageOf(msg);
    case 'turn_diff':
      return typeof msg['unified_diff'] === 'string' ? [{ kind: 'diff', diff: msg['unified_diff'] }] : [];
    case 'plan_update':
      return planOf(msg);
    case 'error':
      return [{ kind: 'error', message: message || 'no reason given' }];
    case 'stream_error':
      return [{ kind: 'retrying', message }];
    case 'warning':
      return [{ kind: 'warning', message }];
    case 'turn_aborted':
      return [{ kind: 'turn-aborted' }];
    case 'task_complete':
      return [{ kind: 'turn-completed', lastMessage: textOf(msg['last_agent_message']) }];
    default:
      return toolItemsOf(msg);
  }
}

/** Reads items that have a start and an end. The end often omits the details of the start. */
function toolItemsOf(msg: JsonObject): readonly ExecEvent[] {
  switch (msg['type']) {
    case 'exec_command_begin':
      return [itemOf(msg, 'command_execution', { status: 'started', summary: listOf(msg['command']).join(' ') })];
    case 'exec_command_end':
      return [
        itemOf(msg, 'command_execution', {
          status: msg['exit_code'] === 0 ? 'completed' : 'failed',
          ...readCommandFailure(msg),
        }),
      ];
    case 'patch_apply_begin': {
      const files = changesOf(msg['changes']);
      return [itemOf(msg, 'file_change', { status: 'started', summary: summarizeFiles(files), files })];
    }
    case 'patch_apply_end':
      return [itemOf(msg, 'file_change', { status: msg['success'] === true ? 'completed' : 'failed' })];
    case 'mcp_tool_call_begin':
      return [itemOf(msg, 'mcp_tool_call', { status: 'started', summary: toolOf(msg) })];
    case 'mcp_tool_call_end':
      return [
        itemOf(msg, 'mcp_tool_call', {
          status: isRefusal(msg['result']) ? 'failed' : 'completed',
          summary: toolOf(msg),
        }),
      ];
    case 'web_search_begin':
      return [itemOf(msg, 'web_search', { status: 'started' })];
    case 'web_search_end':
      return [itemOf(msg, 'web_search', { status: 'completed', summary: textOf(msg['query']) ?? '' })];
    default:
      return [];
  }
}

type ItemFields = Omit<Item, 'id' | 'type' | 'summary'> & { readonly summary?: string };

function itemOf(msg: JsonObject, type: ItemType, fields: ItemFields): ExecEvent {
  const summary = summarize(fields.summary ?? '');
  return { kind: 'item', item: { id: textOf(msg['call_id']) ?? '', type, ...fields, summary } };
}

function sessionOf(msg: JsonObject): readonly ExecEvent[] {
  const sessionId = textOf(msg['session_id']);
  return sessionId === undefined ? [] : [{ kind: 'session', sessionId, model: textOf(msg['model']) }];
}

/** 0.20 reports the usage of one response, without `info`. It cannot be used for a total. */
function usageOf({ info }: JsonObject): readonly ExecEvent[] {
  const total = isObject(info) ? readUsage(info['total_token_usage']) : undefined;
  if (!isObject(info) || total === undefined) return [];
  const size = info['model_context_window'];
  return [{ kind: 'usage', total, contextWindow: typeof size === 'number' ? size : undefined }];
}

function planOf(msg: JsonObject): readonly ExecEvent[] {
  const plan = readPlan(msg['plan']);
  return plan === undefined ? [] : [{ kind: 'plan', plan }];
}

/** Reads changes by path: `{add: {…}}`, `{delete: {…}}` or `{update: {unified_diff}}`. */
function changesOf(value: unknown): readonly FileChange[] {
  if (!isObject(value)) return [];
  return Object.entries(value).map(([path, change]) => {
    if (!isObject(change)) return { path, kind: 'update' };
    const diff = isObject(change['update']) ? change['update']['unified_diff'] : undefined;
    const kind = 'add' in change ? 'add' : 'delete' in change ? 'delete' : 'update';
    return { path, kind, ...(typeof diff === 'string' && { diff }) };
  });
}

function toolOf({ invocation }: JsonObject): string {
  if (!isObject(invocation)) return '';
  return summarizeTool(textOf(invocation['server']) ?? '', textOf(invocation['tool']) ?? '');
}

function isRefusal(result: unknown): boolean {
  if (!isObject(result)) return false;
  const answer = result['Ok'];
  return 'Err' in result || (isObject(answer) && (answer['isError'] === true || answer['is_error'] === true));
}
