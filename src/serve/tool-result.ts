import { AppError, isAppError, messageOf } from '../base/errors.ts';
import { toToolResult } from '../base/translate.ts';
import { isObject, RawJson } from '../wire/messages.ts';
import type { Checker } from './schema.ts';
import type { RegisteredTool } from './tools.ts';

/**
 * What a handler without an output schema returned, as a tool result. Text is worth a path of its own: it is what most
 * tools return, and it needs no object.
 */
export function resultJson(returned: unknown): RawJson {
  if (typeof returned === 'string')
    return new RawJson(`{"content":[{"type":"text","text":${JSON.stringify(returned)}}]}`);
  if (returned === undefined) return new RawJson('{"content":[]}');
  if (isWholeResult(returned)) return new RawJson(toJson(returned));
  return new RawJson(toJson({ content: [{ type: 'text', text: toJson(returned) }] }));
}

/** The same for a tool with an output schema: the value is checked and becomes structured content. */
export async function structuredJson(entry: RegisteredTool, output: Checker, returned: unknown): Promise<RawJson> {
  if (isWholeResult(returned) && returned['isError'] === true) return new RawJson(toJson(returned));
  const whole = isWholeResult(returned) && 'structuredContent' in returned ? returned : undefined;
  const checked = await output.check(whole === undefined ? returned : whole['structuredContent']);
  if (checked.problems !== undefined) {
    const forbidden = checked.problems.join('; ');
    throw new AppError(
      'TOOL_FAILED',
      `The tool "${entry.tool.name}" returned what its output schema forbids: ${forbidden}`,
    );
  }
  const structuredContent = checked.value;
  // The text repeats the value for clients that know nothing of structured content.
  return new RawJson(
    toJson({ content: [{ type: 'text', text: toJson(structuredContent) }], ...whole, structuredContent }),
  );
}

/** A throw as a result: one readable line for the model, never a stack and never a crash. */
export function failureJson(entry: RegisteredTool | undefined, thrown: unknown): RawJson {
  if (isAppError(thrown)) return new RawJson(toJson(toToolResult(thrown)));
  const tool = entry?.tool.name;
  return new RawJson(
    toJson(toToolResult(new AppError('TOOL_FAILED', messageOf(thrown), { cause: thrown, data: { tool } }))),
  );
}

function isWholeResult(returned: unknown): returned is Readonly<Record<string, unknown>> {
  return isObject(returned) && Array.isArray(returned['content']);
}

function toJson(value: unknown): string {
  return JSON.stringify(value) ?? 'null';
}
