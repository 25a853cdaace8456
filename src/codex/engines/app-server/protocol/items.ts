import { isObject, type JsonObject } from '../../../../wire/messages.ts';
import type { FileChange, Item, ItemStatus, ItemType, PlanStep } from '../../../item-types.ts';
import {
  describeCommandFailure,
  summarize,
  summarizeFiles,
  summarizeTool,
  toFileKind,
} from '../../../text/item-summaries.ts';

/** Converts an app-server item. Returns undefined for an item that is not Codex's work, such as the user's message. */
export function toItem(raw: unknown, isOver: boolean): Item | undefined {
  if (!isObject(raw) || typeof raw['id'] !== 'string' || typeof raw['type'] !== 'string') return undefined;
  if (HIDDEN_TYPES.has(raw['type'])) return undefined;
  const describe = Object.hasOwn(ITEM_READERS, raw['type']) ? ITEM_READERS[raw['type']] : undefined;
  const described = describe?.(raw) ?? { type: 'unknown' as const, summary: raw['type'] };
  return { id: raw['id'], status: statusOf(raw, isOver), ...described, summary: summarize(described.summary) };
}

export function toPlan(raw: unknown): readonly PlanStep[] {
  if (!Array.isArray(raw)) return [];
  return raw.filter(isObject).map((entry) => ({ step: textOf(entry['step']), status: planStatus(entry['status']) }));
}

/** Hidden because the result of a review also arrives as a message. */
const HIDDEN_TYPES: ReadonlySet<string> = new Set([
  'userMessage',
  'hookPrompt',
  'enteredReviewMode',
  'exitedReviewMode',
]);

type ItemDetails = { readonly type: ItemType; readonly summary: string } & Partial<Item>;

const ITEM_READERS: Readonly<Record<string, (raw: JsonObject) => ItemDetails>> = {
  agentMessage: ({ text }) => ({ type: 'agent_message', text: textOf(text), summary: textOf(text) }),
  reasoning: ({ summary, content }) => ({ type: 'reasoning', summary: joined(summary) || joined(content) }),
  plan: ({ text }) => ({ type: 'todo_list', summary: textOf(text) }),
  commandExecution: ({ command, exitCode, status, aggregatedOutput }) => ({
    type: 'command_execution',
    summary: textOf(command),
    ...describeCommandFailure({ exitCode, status, output: textOf(aggregatedOutput) }),
  }),
  fileChange: ({ changes }) => {
    const files = toFiles(changes);
    return { type: 'file_change', files, summary: summarizeFiles(files) };
  },
  mcpToolCall: ({ server, tool }) => ({ type: 'mcp_tool_call', summary: summarizeTool(textOf(server), textOf(tool)) }),
  webSearch: ({ query }) => ({ type: 'web_search', summary: textOf(query) }),
  dynamicToolCall: ({ tool }) => ({ type: 'unknown', summary: textOf(tool) }),
};

function toFiles(changes: unknown): readonly FileChange[] {
  if (!Array.isArray(changes)) return [];
  return changes.filter(isObject).map(({ path, kind, diff }) => ({
    path: textOf(path),
    kind: toFileKind(kind),
    ...(typeof diff === 'string' ? { diff } : {}),
    ...movedTo(kind),
  }));
}

function movedTo(kind: unknown): Pick<FileChange, 'movedTo'> {
  const path = isObject(kind) ? kind['move_path'] : undefined;
  return typeof path === 'string' ? { movedTo: path } : {};
}

/** `declined` counts as failed, because the action did not happen. */
function statusOf({ status, exitCode }: JsonObject, isOver: boolean): ItemStatus {
  if (status === 'failed' || status === 'declined') return 'failed';
  if (isOver) return typeof exitCode === 'number' && exitCode !== 0 ? 'failed' : 'completed';
  return 'started';
}

function planStatus(status: unknown): PlanStep['status'] {
  if (status === 'completed') return 'completed';
  return status === 'inProgress' || status === 'in_progress' ? 'in_progress' : 'pending';
}

function joined(texts: unknown): string {
  return Array.isArray(texts) ? texts.filter((text) => typeof text === 'string').join(' ') : '';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
