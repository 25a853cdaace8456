import { tryParseJson } from '../../../../base/text/is-json.ts';
import type { Frame } from '../../../../wire/frame.ts';
import { rawMember } from '../../../../wire/json/scan.ts';
import { isObject } from '../../../../wire/messages.ts';
import type { SentRequest } from '../../transport.ts';

/** A JSON-RPC error in an HTTP body. */
export interface RpcErrorBody {
  readonly code: number;
  /** The error names its request. */
  readonly hasId: boolean;
  /** The error as JSON text, as received. */
  readonly json: string;
}

/** Returns undefined if the body is not a JSON-RPC error. */
export function readRpcError(text: string): RpcErrorBody | undefined {
  const message = tryParseJson(text);
  const error = isObject(message) ? message['error'] : undefined;
  if (!isObject(message) || !isObject(error) || typeof error['code'] !== 'number') return undefined;
  const json = rawMember(Buffer.from(text), 'error') ?? JSON.stringify(error);
  return { code: error['code'], hasId: message['id'] !== undefined && message['id'] !== null, json };
}

/** Builds the error response to a request, whatever id the server sent. */
export function toErrorResponse({ json }: RpcErrorBody, { id }: SentRequest): Frame {
  return [Buffer.from(`{"jsonrpc":"2.0","id":${id},"error":${json.replace(/[\r\n]/g, ' ')}}`)];
}

/** Adds the request id to an error without one. As the whole response to a request, it can belong to no other. */
export function withId(frame: Frame, request: SentRequest | undefined): Frame {
  const [first] = frame;
  if (request === undefined || first === undefined || frame.length > 1 || !first.includes('"error"')) return frame;
  const found = readRpcError(first.toString('utf8'));
  return found === undefined || found.hasId ? frame : toErrorResponse(found, request);
}
