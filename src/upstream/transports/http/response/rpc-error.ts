import type { Frame } from '../../../../wire/frame.ts';
import { rawMember } from '../../../../wire/json/scan.ts';
import { isObject } from '../../../../wire/messages.ts';
import type { SentRequest } from '../../transport.ts';

/** The error that stands in a body. */
export interface RpcErrorBody {
  readonly code: number;
  /** It says which request it is about. */
  readonly hasId: boolean;
  /** The error as it was written. */
  readonly json: string;
}

/** Undefined when the body is something else. */
export function readRpcError(text: string): RpcErrorBody | undefined {
  try {
    const message: unknown = JSON.parse(text);
    const error = isObject(message) ? message['error'] : undefined;
    if (!isObject(message) || !isObject(error) || typeof error['code'] !== 'number') return undefined;
    const json = rawMember(Buffer.from(text), 'error') ?? JSON.stringify(error);
    return { code: error['code'], hasId: message['id'] !== undefined && message['id'] !== null, json };
  } catch {
    // A page, or nothing at all.
    return undefined;
  }
}

/** The error as the answer to a request, whatever the server wrote about whose it is. */
export function toErrorResponse({ json }: RpcErrorBody, { id }: SentRequest): Frame {
  return [Buffer.from(`{"jsonrpc":"2.0","id":${id},"error":${json.replace(/[\r\n]/g, ' ')}}`)];
}

/** An error without an id, as the whole answer to a request, can mean no other. */
export function withId(frame: Frame, request: SentRequest | undefined): Frame {
  const [first] = frame;
  if (request === undefined || first === undefined || frame.length > 1 || !first.includes('"error"')) return frame;
  const found = readRpcError(first.toString('utf8'));
  return found === undefined || found.hasId ? frame : toErrorResponse(found, request);
}
