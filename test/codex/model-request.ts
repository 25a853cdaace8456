import { isObject, type JsonObject, objectsOf } from './json.ts';

/** A request from Codex to the model, with the parts that scripts need. */
export type ModelRequest = {
  readonly model: string;
  /** The conversation so far, oldest first. */
  readonly input: readonly JsonObject[];
  readonly tools: readonly JsonObject[];
  /** The complete body. */
  readonly body: JsonObject;
};

export function decodeRequest(body: unknown): ModelRequest | undefined {
  if (!isObject(body) || typeof body['model'] !== 'string' || !Array.isArray(body['input'])) return undefined;
  return { model: body['model'], input: objectsOf(body['input']), tools: objectsOf(body['tools']), body };
}

/** Returns the tool outputs that a real model would see, oldest first. */
export function toolOutputs(request: ModelRequest): readonly string[] {
  return request.input
    .filter((item) => item['type'] === 'function_call_output' || item['type'] === 'custom_tool_call_output')
    .map((item) => textOf(item['output']));
}

/** The text of a message's content or of a tool's output: a string, or parts of which some have text. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return objectsOf(content)
    .map((part) => (typeof part['text'] === 'string' ? part['text'] : ''))
    .join('');
}
