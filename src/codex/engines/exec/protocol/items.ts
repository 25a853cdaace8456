import { isObject, type JsonObject } from '../../../../wire/messages.ts';
import type { FileChange, Item, ItemStatus, ItemType, PlanStep } from '../../../item-types.ts';
import {
  describeCommandFailure,
  summarize,
  summarizeFiles,
  summarizePlan,
  summarizeTool,
  toFileKind,
} from '../../../text/item-summaries.ts';
import { listOf, textOf } from './fields.ts';

/** Codex's names for item types, in the current and the previous format. */
const ITEM_TYPES: ReadonlyMap<unknown, ItemType> = new Map<unknown, ItemType>([
  ['agent_message', 'agent_message'],
  ['assistant_message', 'agent_message'],
  ['reasoning', 'reasoning'],
  ['command_execution', 'command_execution'],
  ['file_change', 'file_change'],
  ['mcp_tool_call', 'mcp_tool_call'],
  ['web_search', 'web_search'],
  ['todo_list', 'todo_list'],
  ['error', 'error'],
]);

/** Reads an item of the current or the previous format. */
export function readItem(raw: JsonObject, phase: Exclude<ItemStatus, 'failed'>): Item {
  const name = raw['type'] ?? raw['item_type'];
  const type = ITEM_TYPES.get(name) ?? 'unknown';
  const text = textOf(raw['text']);
  const files = type === 'file_change' ? readChanges(raw['changes']) : undefined;
  const plan = type === 'todo_list' ? readPlan(raw['items']) : undefined;
  return {
    id: textOf(raw['id']) ?? '',
    type,
    status: phase === 'completed' && hasFailed(raw, type) ? 'failed' : phase,
    summary: summarize(summaryOf(raw, { type, files, plan }) ?? textOf(name) ?? ''),
    ...(type === 'agent_message' && text !== undefined && { text }),
    ...(type === 'command_execution' && readCommandFailure(raw)),
    ...(files !== undefined && { files }),
    ...(plan !== undefined && { plan }),
  };
}

/** Reads the exit code and the output of a failed command, in any format. */
export function readCommandFailure(raw: JsonObject): Pick<Item, 'exitCode' | 'outputTail' | 'omittedOutput'> {
  const output = textOf(raw['aggregated_output']) || `${textOf(raw['stdout']) ?? ''}${textOf(raw['stderr']) ?? ''}`;
  return describeCommandFailure({ exitCode: raw['exit_code'], status: raw['status'], output });
}

/** Reads the `items` of a to-do list, or the `plan` of the old format. Returns undefined if the value is not a list. */
export function readPlan(value: unknown): readonly PlanStep[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.filter(isObject).map((step) => ({
    step: textOf(step['text']) ?? textOf(step['step']) ?? '',
    status: planStatus(step),
  }));
}

function planStatus({ status, completed }: JsonObject): PlanStep['status'] {
  if (status === 'completed' || completed === true) return 'completed';
  return status === 'in_progress' ? 'in_progress' : 'pending';
}

/** `declined` counts as failed, because the action did not happen. */
function hasFailed({ status, error }: JsonObject, type: ItemType): boolean {
  return type === 'error' || status === 'failed' || status === 'declined' || isObject(error);
}

function readChanges(value: unknown): readonly FileChange[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.filter(isObject).flatMap(({ path, kind, diff }) => {
    const named = textOf(path);
    if (named === undefined) return [];
    return [{ path: named, kind: toFileKind(kind), ...(typeof diff === 'string' && { diff }) }];
  });
}

type Read = { readonly type: ItemType } & {
  readonly [Part in 'files' | 'plan']: Item[Part] | undefined;
};

function summaryOf(raw: JsonObject, { type, files, plan }: Read): string | undefined {
  switch (type) {
    case 'agent_message':
    case 'reasoning':
      return textOf(raw['text']) ?? '';
    case 'command_execution':
      return textOf(raw['command']) ?? listOf(raw['command']).join(' ');
    case 'file_change':
      return summarizeFiles(files ?? []);
    case 'mcp_tool_call':
      return summarizeTool(textOf(raw['server']) ?? '', textOf(raw['tool']) ?? '');
    case 'web_search':
      return textOf(raw['query']) ?? '';
    case 'todo_list':
      return summarizePlan(plan ?? []);
    case 'error':
      return textOf(raw['message']) ?? textOf(raw['text']);
    case 'unknown':
      return undefined;
  }
}
