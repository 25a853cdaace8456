/** JSON-RPC 2.0 as it stands on the wire. Inside this folder a message is text, or the value that `JSON.parse` gave. */

export type RequestId = string | number;

export interface Incoming {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** JSON text that is already serialised: it goes out as it is. */
export class RawJson {
  readonly json: string;
  constructor(json: string) {
    this.json = json;
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function requestText(id: RequestId, method: string, params: unknown): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":${JSON.stringify(method)}${paramsText(params)}}`;
}

export function notificationText(method: string, params: unknown): string {
  return `{"jsonrpc":"2.0","method":${JSON.stringify(method)}${paramsText(params)}}`;
}

/** `id` is JSON text, so that it goes back exactly as it came. */
export function resultText(id: string, result: unknown): string {
  const json = result instanceof RawJson ? result.json : (JSON.stringify(result) ?? '{}');
  return `{"jsonrpc":"2.0","id":${id},"result":${json}}`;
}

export function errorText(id: string, error: { code: number; message: string; data?: unknown }): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error)}}`;
}

function paramsText(params: unknown): string {
  if (params === undefined) return '';
  return `,"params":${params instanceof RawJson ? params.json : JSON.stringify(params)}`;
}
