/** JSON-RPC 2.0 as on the wire. Inside this folder a message is text, or the value that `JSON.parse` returned. */

export type RequestId = string | number;

export interface JsonRpcMessage {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** JSON text that is already serialized and is sent unchanged. */
export class RawJson {
  readonly json: string;
  constructor(json: string) {
    this.json = json;
  }
}

/** A JSON object whose members are not known. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function requestText(id: RequestId, method: string, params: unknown): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":${JSON.stringify(method)}${paramsText(params)}}`;
}

export function notificationText(method: string, params: unknown): string {
  return `{"jsonrpc":"2.0","method":${JSON.stringify(method)}${paramsText(params)}}`;
}

/** `id` is JSON text, so that the response repeats it exactly as received. */
export function resultText(id: string, result: unknown): string {
  const json = result instanceof RawJson ? result.json : (JSON.stringify(result) ?? '{}');
  return `{"jsonrpc":"2.0","id":${id},"result":${json}}`;
}

/** Never throws: data that cannot be serialized is left out, because the error must reach the waiting caller. */
export function errorText(id: string, error: { code: number; message: string; data?: unknown }): string {
  const { code, message } = error;
  return `{"jsonrpc":"2.0","id":${id},"error":${toJson(error) ?? JSON.stringify({ code, message })}}`;
}

export function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    // A cycle, a BigInt, or nesting deeper than the stack. The caller decides what to send instead.
    return undefined;
  }
}

function paramsText(params: unknown): string {
  const json = params instanceof RawJson ? params.json : JSON.stringify(params);
  return json === undefined ? '' : `,"params":${json}`;
}
