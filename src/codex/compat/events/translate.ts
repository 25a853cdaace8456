import { isObject, type JsonObject } from '../../../wire/messages.ts';
import { toEndEvents, toStartEvents } from './item-events.ts';
import { snakeMembers, snakeNames, toSnake } from './name-case.ts';

/** Converts a notification of the app-server to old events. Returns none if there was no such event. */
export function toLegacyEvents(method: string, params: JsonObject): readonly JsonObject[] {
  return Object.hasOwn(TRANSLATIONS, method) ? (TRANSLATIONS[method]?.(params) ?? []) : [];
}

const TRANSLATIONS: Readonly<Record<string, (params: JsonObject) => readonly JsonObject[]>> = {
  'turn/started': ({ turn }) => {
    const { id, startedAt } = members(turn);
    return [{ type: 'task_started', turn_id: id, started_at: startedAt }];
  },
  'turn/completed': ({ turn }) => toTurnEnd(members(turn)),
  'item/started': toStartEvents,
  'item/completed': toEndEvents,
  'item/agentMessage/delta': (params) => [{ type: 'agent_message_content_delta', ...toDelta(params) }],
  'item/plan/delta': (params) => [{ type: 'plan_delta', ...toDelta(params) }],
  'item/reasoning/summaryTextDelta': (params) => [
    { type: 'reasoning_content_delta', ...toDelta(params), summary_index: params['summaryIndex'] },
  ],
  'item/reasoning/textDelta': (params) => [
    { type: 'reasoning_raw_content_delta', ...toDelta(params), content_index: params['contentIndex'] },
  ],
  'item/reasoning/summaryPartAdded': ({ itemId, summaryIndex }) => [
    { type: 'agent_reasoning_section_break', item_id: itemId, summary_index: summaryIndex },
  ],
  'item/commandExecution/outputDelta': ({ itemId, delta }) => [
    {
      type: 'exec_command_output_delta',
      call_id: itemId,
      stream: 'stdout',
      chunk: Buffer.from(String(delta ?? ''), 'utf8').toString('base64'),
    },
  ],
  'turn/diff/updated': ({ diff }) => [{ type: 'turn_diff', unified_diff: diff }],
  'turn/plan/updated': ({ explanation, plan }) => [
    { type: 'plan_update', explanation: explanation ?? null, plan: toPlan(plan) },
  ],
  'thread/tokenUsage/updated': ({ tokenUsage }) => [toTokenCount(members(tokenUsage))],
  'rawResponseItem/completed': ({ item }) => [{ type: 'raw_response_item', item }],
  'rawResponse/completed': ({ responseId, usage, usageMetadata }) => [
    {
      type: 'raw_response_completed',
      response_id: responseId,
      token_usage: snakeMembers(usage),
      usage_metadata: usageMetadata ?? null,
    },
  ],
  error: toError,
  warning: ({ message }) => [{ type: 'warning', message }],
};

/** All methods that are translated. A test compares them with the bindings that Codex generates. */
export const TRANSLATED_METHODS: readonly string[] = Object.keys(TRANSLATIONS);

/** Returns no event for a failed turn: an `error` event already reported it, and the old server sent nothing more. */
function toTurnEnd({ id, status, items, startedAt, completedAt, durationMs }: JsonObject): readonly JsonObject[] {
  const times = { started_at: startedAt, completed_at: completedAt, duration_ms: durationMs };
  if (status === 'interrupted') return [{ type: 'turn_aborted', turn_id: id, reason: 'interrupted', ...times }];
  if (status !== 'completed') return [];
  const texts = (Array.isArray(items) ? items : []).filter(isObject).map(({ text }) => text);
  const last = texts.findLast((text) => typeof text === 'string') ?? null;
  return [{ type: 'task_complete', turn_id: id, last_agent_message: last, ...times }];
}

function toError({ error, willRetry }: JsonObject): readonly JsonObject[] {
  const { message, codexErrorInfo, additionalDetails } = members(error);
  const info = { message, codex_error_info: snakeNames(codexErrorInfo) };
  if (willRetry !== true) return [{ type: 'error', ...info }];
  return [{ type: 'stream_error', ...info, additional_details: additionalDetails ?? null }];
}

/** Omits the rate limits, which belong to the account and arrive separately. */
function toTokenCount({ total, last, modelContextWindow }: JsonObject): JsonObject {
  const info = {
    total_token_usage: snakeMembers(total),
    last_token_usage: snakeMembers(last),
    model_context_window: modelContextWindow ?? null,
  };
  return { type: 'token_count', info, rate_limits: null };
}

function toPlan(plan: unknown): readonly JsonObject[] {
  if (!Array.isArray(plan)) return [];
  return plan.filter(isObject).map(({ step, status }) => ({ step, status: toSnake(String(status)) }));
}

function toDelta({ threadId, turnId, itemId, delta }: JsonObject): JsonObject {
  return { thread_id: threadId, turn_id: turnId, item_id: itemId, delta };
}

function members(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
