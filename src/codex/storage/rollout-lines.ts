import { isObject, type JsonObject } from '../../wire/messages.ts';
import { classifyFailureMessage } from '../engines/turn-failure.ts';
import type { TurnFailure } from '../item-types.ts';
import type { TranscriptEntry } from './stored-session.ts';

/** The information about turns in one line of a session's file. */
export type RolloutLine =
  | { readonly kind: 'turn-started'; readonly turnId: string }
  | { readonly kind: 'turn-completed'; readonly failure: TurnFailure | undefined }
  | { readonly kind: 'turn-aborted' }
  | { readonly kind: 'entry'; readonly entry: TranscriptEntry }
  /** A call as the model made it. Newer versions report it a second time, as an entry. */
  | { readonly kind: 'call'; readonly entry: TranscriptEntry };

/**
 * Reads the formats of 0.92 (events by name) and of current versions (completed items). Returns undefined for a line
 * that does not belong in a transcript.
 */
export function readRolloutLine({ type, payload }: JsonObject): RolloutLine | undefined {
  if (!isObject(payload)) return undefined;
  if (type === 'response_item') return callOf(payload);
  return type === 'event_msg' ? readEvent(payload) : undefined;
}

/** Returns the text of the user's message if the line contains one. */
export function readPrompt(line: JsonObject): string | undefined {
  const stored = readRolloutLine(line);
  return stored?.kind === 'entry' && stored.entry.role === 'user' && stored.entry.text !== ''
    ? stored.entry.text
    : undefined;
}

function readEvent(event: JsonObject): RolloutLine | undefined {
  switch (event['type']) {
    case 'task_started':
    case 'turn_started':
      return { kind: 'turn-started', turnId: textOf(event['turn_id']) };
    case 'task_complete':
    case 'turn_complete':
      return { kind: 'turn-completed', failure: failureOf(event['error']) };
    case 'turn_aborted':
      return { kind: 'turn-aborted' };
    case 'user_message':
      return entry('user_message', textOf(event['message']));
    case 'agent_message':
      return entry('agent_message', textOf(event['message']));
    case 'agent_reasoning':
      return entry('reasoning', textOf(event['text']));
    case 'item_completed':
      return isObject(event['item']) ? itemOf(event['item']) : undefined;
    default:
      return undefined;
  }
}

function itemOf(item: JsonObject): RolloutLine | undefined {
  switch (item['type']) {
    case 'UserMessage':
      return entry('user_message', textsOf(item['content']));
    case 'AgentMessage':
      return entry('agent_message', textsOf(item['content']));
    case 'Reasoning':
      return entry('reasoning', textsOf(item['summary_text']));
    case 'CommandExecution':
      return entry('command_execution', commandOf(item['command']));
    case 'FileChange':
      return entry('file_change', isObject(item['changes']) ? Object.keys(item['changes']).join(', ') : '');
    case 'McpToolCall':
      return entry('mcp_tool_call', `${textOf(item['server'])}.${textOf(item['tool'])}`);
    case 'WebSearch':
      return entry('web_search', textOf(item['query']));
    default:
      return undefined;
  }
}

/** 0.92 stores no events about tools, only the calls of the model. */
function callOf(item: JsonObject): RolloutLine | undefined {
  const name = textOf(item['name']);
  if (item['type'] === 'custom_tool_call') return call(name, textOf(item['input']));
  return item['type'] === 'function_call' ? call(name, textOf(item['arguments'])) : undefined;
}

function call(name: string, input: string): RolloutLine {
  const type = SHELLS.has(name) ? 'command_execution' : name.startsWith('mcp__') ? 'mcp_tool_call' : 'unknown';
  return { kind: 'call', entry: { role: 'codex', type, text: `${name} ${input}`.trim() } };
}

const SHELLS: ReadonlySet<string> = new Set([
  'shell',
  'shell_command',
  'exec_command',
  'local_shell',
  'container.exec',
]);

function entry(type: TranscriptEntry['type'], text: string): RolloutLine {
  return { kind: 'entry', entry: { role: type === 'user_message' ? 'user' : 'codex', type, text } };
}

function failureOf(error: unknown): TurnFailure | undefined {
  const message = isObject(error) ? error['message'] : error;
  return typeof message === 'string' ? classifyFailureMessage(message) : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Joins strings and parts that have a text. Ignores images and other parts. */
function textsOf(value: unknown): string {
  if (!Array.isArray(value)) return textOf(value);
  return value
    .map((part) => (isObject(part) ? textOf(part['text']) : textOf(part)))
    .filter((text) => text !== '')
    .join('\n');
}

function commandOf(value: unknown): string {
  return Array.isArray(value) ? value.map(textOf).join(' ') : textOf(value);
}
