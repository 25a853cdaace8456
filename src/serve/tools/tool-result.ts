import { toToolResult } from '../../base/error-translation.ts';
import { AppError, isAppError, messageOf } from '../../base/errors.ts';
import { wellFormedJson } from '../../wire/json/well-formed-json.ts';
import { isObject, RawJson, toJson as toJsonOrNothing } from '../../wire/messages.ts';
import type { Checker } from './schema.ts';

/**
 * What a handler without an output schema returned, as a tool result. Text is worth a path of its own: it is what most
 * tools return, and it needs no object.
 */
export function resultJson(returned: unknown): RawJson {
  if (typeof returned === 'string') {
    return new RawJson(`{"content":[{"type":"text","text":${toJson(returned)}}]}`);
  }
  if (returned === undefined) return new RawJson('{"content":[]}');
  throwIfError(returned);
  if (isWholeResult(returned)) return wholeJson(returned);
  return new RawJson(toJson({ content: [{ type: 'text', text: toJson(returned) }] }));
}

/** The same for a tool with an output schema: the value is checked and becomes structured content. */
export async function structuredJson(tool: string, output: Checker, returned: unknown): Promise<RawJson> {
  throwIfError(returned);
  const whole = isObject(returned) && Array.isArray(returned['content']) ? returned : {};
  if (whole['isError'] === true && isWholeResult(whole)) return wholeJson(whole);
  // Only `structuredContent` tells a whole result from a value that happens to have a member `content`.
  const rest = 'structuredContent' in whole && isWholeResult(whole) ? whole : {};
  const checked = await output.check(
    asSent(output, 'structuredContent' in rest ? rest['structuredContent'] : returned),
  );
  if (checked.problems !== undefined) {
    const forbidden = checked.problems.join('; ');
    throw new AppError('TOOL_FAILED', `The tool "${tool}" returned what its output schema forbids: ${forbidden}`);
  }
  const structuredContent = checked.value;
  // The text repeats the value for clients that know nothing of structured content.
  const text = toJson(structuredContent);
  if (!text.startsWith('{')) throw new AppError('TOOL_FAILED', `The tool "${tool}" returned no object as JSON.`);
  return wholeJson({ content: [{ type: 'text', text }], ...rest, structuredContent });
}

/** An error that was returned is a failure like one that was thrown: as JSON it would be an empty object. */
function throwIfError(returned: unknown): void {
  const content = isObject(returned) && Array.isArray(returned['content']) ? returned['content'] : [];
  const list = Array.isArray(returned) ? returned : content;
  const structured = isObject(returned) ? returned['structuredContent'] : undefined;
  for (const value of [returned, structured, ...list]) if (isError(value)) throw value;
}

/** Of any realm. */
function isError(value: unknown): boolean {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
}

/** JSON Schema speaks of JSON: members that are undefined, dates and NaN are checked as what the client will see. */
function asSent(output: Checker, value: unknown): unknown {
  return output.isPlainJson ? JSON.parse(toJson(value)) : value;
}

/** A throw as a result: one readable line for the model, never a stack and never a crash. */
export function failureJson(thrown: unknown, tool?: string): RawJson {
  const error = isAppError(thrown)
    ? thrown
    : new AppError('TOOL_FAILED', messageOf(thrown), { cause: thrown, data: { tool } });
  // Data that cannot be sent must not cost the model the message.
  const json = toJsonOrNothing(toToolResult(error)) ?? toJson(toToolResult(new AppError(error.code, error.message)));
  return new RawJson(wellFormedJson(json));
}

function isWholeResult(returned: unknown): returned is Readonly<Record<string, unknown>> {
  if (!isObject(returned) || !Array.isArray(returned['content'])) return false;
  const stray = returned['content'].find((block) => !isObject(block) || typeof block['type'] !== 'string');
  if (stray === undefined) return true;
  throw new AppError('TOOL_FAILED', `The tool returned a content block without a type: ${toJson(stray).slice(0, 80)}`);
}

/** A `toJSON` of the tool's own may turn a result into something else. */
function wholeJson(result: Readonly<Record<string, unknown>>): RawJson {
  const json = toJson(result);
  if (!json.startsWith('{'))
    throw new AppError('TOOL_FAILED', `The tool returned no object as JSON: ${json.slice(0, 80)}`);
  return new RawJson(json);
}

/** A truncated text may end in a lone surrogate, for which some clients reject the whole answer. */
function toJson(value: unknown): string {
  return wellFormedJson(JSON.stringify(value) ?? 'null');
}
