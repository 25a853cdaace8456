import { toToolResult } from '../../base/error-translation.ts';
import { AppError, isAppError, messageOf } from '../../base/errors.ts';
import { wellFormedJson } from '../../wire/json/well-formed-json.ts';
import { isObject, RawJson, toJson as toJsonOrNothing } from '../../wire/messages.ts';
import type { Checker } from './schema.ts';

/**
 * Converts the return value of a handler without an output schema to a tool result. Text has its own fast path, because
 * most tools return text and it needs no object.
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

/** Converts the return value of a tool with an output schema: the value is validated and becomes structured content. */
export async function structuredJson(tool: string, output: Checker, returned: unknown): Promise<RawJson> {
  throwIfError(returned);
  const whole = isObject(returned) && Array.isArray(returned['content']) ? returned : {};
  if (whole['isError'] === true && isWholeResult(whole)) return wholeJson(whole);
  // Only `structuredContent` distinguishes a complete result from a value with a member `content`.
  const rest = 'structuredContent' in whole && isWholeResult(whole) ? whole : {};
  const checked = await output.check(
    asSent(output, 'structuredContent' in rest ? rest['structuredContent'] : returned),
  );
  if (checked.problems !== undefined) {
    const forbidden = checked.problems.join('; ');
    throw new AppError(
      'TOOL_FAILED',
      `The tool "${tool}" returned a result that its output schema does not allow: ${forbidden}`,
    );
  }
  const structuredContent = checked.value;
  // The text repeats the value for clients without support for structured content.
  const text = toJson(structuredContent);
  if (!text.startsWith('{')) throw new AppError('TOOL_FAILED', `The tool "${tool}" did not return a JSON object.`);
  return wholeJson({ content: [{ type: 'text', text }], ...rest, structuredContent });
}

/** Throws a returned error, because serializing it would yield an empty object. */
function throwIfError(returned: unknown): void {
  const content = isObject(returned) && Array.isArray(returned['content']) ? returned['content'] : [];
  const list = Array.isArray(returned) ? returned : content;
  const structured = isObject(returned) ? returned['structuredContent'] : undefined;
  for (const value of [returned, structured, ...list]) if (isError(value)) throw value;
}

/** Returns whether the value is an error of any realm. */
function isError(value: unknown): boolean {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
}

/**
 * Returns the value as the client will see it. JSON Schema describes JSON, so undefined members, dates and NaN are
 * checked in serialized form.
 */
function asSent(output: Checker, value: unknown): unknown {
  return output.isPlainJson ? JSON.parse(toJson(value)) : value;
}

/** Converts a thrown value to a result: one readable line for the model, never a stack or a crash. */
export function failureJson(thrown: unknown, tool?: string): RawJson {
  const error = isAppError(thrown)
    ? thrown
    : new AppError('TOOL_FAILED', messageOf(thrown), { cause: thrown, data: { tool } });
  // Data that cannot be serialized must not prevent the message.
  const json = toJsonOrNothing(toToolResult(error)) ?? toJson(toToolResult(new AppError(error.code, error.message)));
  return new RawJson(wellFormedJson(json));
}

function isWholeResult(returned: unknown): returned is Readonly<Record<string, unknown>> {
  if (!isObject(returned) || !Array.isArray(returned['content'])) return false;
  const stray = returned['content'].find((block) => !isObject(block) || typeof block['type'] !== 'string');
  if (stray === undefined) return true;
  throw new AppError('TOOL_FAILED', `The tool returned a content block without a type: ${toJson(stray).slice(0, 80)}`);
}

/** Serializes a complete result. Throws if a custom `toJSON` turns it into something other than an object. */
function wholeJson(result: Readonly<Record<string, unknown>>): RawJson {
  const json = toJson(result);
  if (!json.startsWith('{'))
    throw new AppError('TOOL_FAILED', `The tool did not return a JSON object: ${json.slice(0, 80)}`);
  return new RawJson(json);
}

/**
 * Serializes to well-formed JSON. Truncated text may end in a lone surrogate, for which some clients reject the whole
 * response.
 */
function toJson(value: unknown): string {
  return wellFormedJson(JSON.stringify(value) ?? 'null');
}
