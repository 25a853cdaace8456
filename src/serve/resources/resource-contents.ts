import { AppError } from '../../base/errors.ts';
import { isObject, type JsonObject, toJson } from '../../wire/messages.ts';

/** Converts the value that a handler returned to the result of `resources/read`. */
export function toContents(
  returned: unknown,
  { uri, mimeType }: { readonly uri: string; readonly mimeType: string | undefined },
): JsonObject {
  if (isObject(returned) && Array.isArray(returned['contents'])) return checkContents(returned, uri);
  const described = { uri, ...(mimeType === undefined ? {} : { mimeType }) };
  if (typeof returned === 'string') return { contents: [{ ...described, text: returned }] };
  if (returned instanceof Uint8Array) {
    const { buffer, byteOffset, byteLength } = returned;
    const blob = Buffer.from(buffer, byteOffset, byteLength).toString('base64');
    return { contents: [{ ...described, blob }] };
  }
  const text = toJson(returned);
  if (text === undefined)
    throw new AppError('TOOL_FAILED', `The resource ${uri} returned a value that cannot be written as JSON.`);
  return { contents: [{ mimeType: 'application/json', ...described, text }] };
}

function checkContents(result: JsonObject, uri: string): JsonObject {
  const contents: readonly unknown[] = Array.isArray(result['contents']) ? result['contents'] : [];
  if (contents.every(isContent)) return result;
  throw new AppError('TOOL_FAILED', `The resource ${uri} returned contents without a uri, or without text or blob.`);
}

function isContent(value: unknown): boolean {
  if (!isObject(value) || typeof value['uri'] !== 'string') return false;
  return typeof value['text'] === 'string' || typeof value['blob'] === 'string';
}
