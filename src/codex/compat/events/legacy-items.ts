import { pathToFileURL } from 'node:url';
import { isObject, type JsonObject } from '../../../wire/messages.ts';
import { objectsOf } from '../../json-values.ts';
import { splitCommand } from '../split-command.ts';
import { snakeMembers, toPascal, toSnake } from './name-case.ts';

/** Converts an item of the app-server to the format of the old events. */
export function toTurnItem(raw: JsonObject): JsonObject {
  const { type, id, startedAtMs: _, completedAtMs: __, ...rest } = raw;
  const head = { type: toPascal(String(type)), id };
  switch (type) {
    case 'userMessage':
      return { ...head, content: raw['content'] };
    case 'agentMessage':
      return { ...head, content: [{ type: 'Text', text: raw['text'] }], ...omitNullish({ phase: raw['phase'] }) };
    case 'reasoning':
      return { ...head, summary_text: raw['summary'] ?? [], raw_content: raw['content'] ?? [] };
    case 'commandExecution':
      return { ...head, ...toCommand(raw), status: statusOf(raw), ...toOutcome(raw) };
    case 'fileChange':
      return { ...head, changes: toChanges(raw['changes']), status: statusOf(raw) };
    case 'mcpToolCall':
      return { ...head, ...toInvocation(raw), status: statusOf(raw), ...toMcpOutcome(raw) };
  }
  return { ...head, ...omitNullish(snakeMembers(rest) as JsonObject) };
}

/** Returns the members that all events of a command share. */
export function toCommand({ processId, command, cwd, commandActions, source }: JsonObject): JsonObject {
  return {
    ...omitNullish({ process_id: processId }),
    command: splitCommand(String(command ?? '')),
    cwd: toFileUrl(cwd),
    parsed_cmd: Array.isArray(commandActions) ? toParsedCommands(commandActions) : [],
    ...(typeof source === 'string' ? { source: toSnake(source) } : {}),
  };
}

/** Returns how a command ended, or nothing while it runs. Codex reports both streams as one. */
export function toOutcome({ status, aggregatedOutput, exitCode, durationMs }: JsonObject): JsonObject {
  if (status === 'inProgress') return {};
  const output = typeof aggregatedOutput === 'string' ? aggregatedOutput : '';
  return {
    stdout: output,
    stderr: '',
    aggregated_output: output,
    exit_code: typeof exitCode === 'number' ? exitCode : -1,
    duration: toDuration(durationMs),
    formatted_output: output,
  };
}

export function toParsedCommands(actions: readonly unknown[]): readonly JsonObject[] {
  return actions.filter(isObject).map(({ type, command, ...rest }) => ({
    type: toSnake(String(type)),
    cmd: command,
    ...rest,
  }));
}

/** Returns the changes of a patch by path. */
export function toChanges(changes: unknown): JsonObject {
  const list = objectsOf(changes);
  return Object.fromEntries(list.map(({ path, kind, diff }) => [String(path), toChange(kind, diff)]));
}

function toChange(kind: unknown, diff: unknown): JsonObject {
  const { type, move_path } = isObject(kind) ? kind : { type: kind };
  const text = typeof diff === 'string' ? diff : '';
  if (type === 'add' || type === 'delete') return { type, content: text };
  return { type: 'update', unified_diff: text, move_path: move_path ?? null };
}

export function toInvocation({ server, tool, arguments: given }: JsonObject): JsonObject {
  return { server, tool, arguments: given };
}

/** Returns how an MCP tool call ended, in the format of a serialized Rust `Result`. */
export function toMcpOutcome({ status, result, error, durationMs }: JsonObject): JsonObject {
  if (status === 'inProgress') return {};
  const message = isObject(error) ? error['message'] : undefined;
  const outcome = isObject(result) ? { Ok: omitNullish(result) } : { Err: String(message ?? toSnake(String(status))) };
  return { result: outcome, duration: toDuration(durationMs) };
}

export function statusOf({ status }: JsonObject): string {
  return toSnake(String(status));
}

function toDuration(durationMs: unknown): JsonObject {
  const ms = typeof durationMs === 'number' ? durationMs : 0;
  return { secs: Math.floor(ms / 1000), nanos: Math.round((ms % 1000) * 1_000_000) };
}

function toFileUrl(path: unknown): unknown {
  return typeof path === 'string' && path !== '' ? pathToFileURL(path).href : path;
}

/** Removes members that are null or undefined. */
function omitNullish(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined));
}
