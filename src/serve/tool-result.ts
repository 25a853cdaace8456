import { AppError, isAppError, messageOf } from '../base/errors.ts';
import { toToolResult } from '../base/translate.ts';
import { isObject } from '../wire/messages.ts';
import type { RegisteredTool } from './tools.ts';

/**
 * What a handler returned, as the JSON text of a tool result. Text is worth a path of its own: it is what most tools
 * return, and it needs no object.
 */
export function resultJson(entry: RegisteredTool, returned: unknown): string | Promise<string> {
  if (entry.output !== undefined) return structuredJson(entry, returned);
  if (typeof returned === 'string') return `{"content":[{"type":"text","text":${JSON.stringify(returned)}}]}`;
  if (returned === undefined) return '{"content":[]}';
  if (isWholeResult(returned)) return toJson(returned);
  return toJson({ content: [{ type: 'text', text: toJson(returned) }] });
}

/** A throw as a result: one readable line for the model, never a stack and never a crash. */
export function failureJson(entry: RegisteredTool | undefined, thrown: unknown): string {
  if (isAppError(thrown)) return toJson(toToolResult(thrown));
  const tool = entry?.tool.name;
  return toJson(toToolResult(new AppError('TOOL_FAILED', messageOf(thrown), { cause: thrown, data: { tool } })));
}

async function structuredJson(entry: RegisteredTool, returned: unknown): Promise<string> {
  if (isWholeResult(returned) && returned['isError'] === true) return toJson(returned);
  const whole = isWholeResult(returned) && 'structuredContent' in returned ? returned : undefined;
  const checked = await entry.output?.check(whole === undefined ? returned : whole['structuredContent']);
  if (checked?.problems !== undefined) {
    throw new AppError(
      'TOOL_FAILED',
      `The tool "${entry.tool.name}" returned what its output schema forbids: ${checked.problems.join('; ')}`,
    );
  }
  const structuredContent = checked?.value;
  // The text repeats the value for clients that know nothing of structured content.
  return toJson({ content: [{ type: 'text', text: toJson(structuredContent) }], ...whole, structuredContent });
}

function isWholeResult(returned: unknown): returned is Readonly<Record<string, unknown>> {
  return isObject(returned) && Array.isArray(returned['content']);
}

function toJson(value: unknown): string {
  return JSON.stringify(value) ?? 'null';
}
