import { type JsonRpcError, toJsonRpcError } from '../base/error-translation.ts';
import { AppError, messageOf } from '../base/errors.ts';
import { VERSION } from '../base/version.ts';
import { isObject } from '../wire/messages.ts';
import { createPeer } from '../wire/rpc/peer.ts';
import { runUntilClosed } from './connection-lifecycle.ts';
import type { Transport } from './fronts/transport.ts';
import { initializeResult } from './initialize-result.ts';
import type { AnyToolCallResult, Request, ToolCallParams, ToolsListResult } from './protocol.ts';

/** A low-level tool server. Nothing is validated or added: the client gets exactly what you return. */
export interface Handler {
  /** Answers `initialize`. The default declares tools and nothing else. */
  initialize?(params: unknown): unknown;
  toolsList(): ToolsListResult | Promise<ToolsListResult>;
  toolsCall(params: ToolCallParams): AnyToolCallResult | Promise<AnyToolCallResult>;
  /** Answers every other method except `ping`. Return undefined for an unknown method. */
  request?(request: Request): unknown;
}

/** Routes the messages of one transport to a handler until the client disconnects. */
export function serve(transport: Transport, handler: Handler): Promise<void> {
  const peer = createPeer({
    send: (text) => transport.send(text),
    onRequest: ({ id, method, params }) => route(handler, { jsonrpc: '2.0', id, method, params: params ?? null }),
    // A notification runs like a request, but gets no response.
    onNotification: (method, params) => route(handler, { jsonrpc: '2.0', method, params: params ?? null }),
    toError,
  });
  return runUntilClosed(transport, peer);
}

async function route(handler: Handler, request: Request): Promise<unknown> {
  switch (request.method) {
    case 'initialize':
      return handler.initialize === undefined
        ? initializeResult(DEFAULT_DESCRIPTION, request.params)
        : handler.initialize(request.params);
    case 'tools/list':
      return handler.toolsList();
    case 'tools/call':
      return handler.toolsCall(callParams(request.params));
    case 'ping':
      return {};
  }
  const result = await handler.request?.(request);
  if (result === undefined) throw NOT_FOUND;
  return result;
}

const DEFAULT_DESCRIPTION = { info: { name: 'switchboard-kit', version: VERSION }, capabilities: { tools: {} } };

function callParams(params: unknown): ToolCallParams {
  if (!isObject(params) || typeof params['name'] !== 'string') throw new Error('params.name must be a string');
  return { ...params, name: params['name'], arguments: 'arguments' in params ? params['arguments'] : {} };
}

/** Compared by identity, because any error that a handler throws is the handler's own failure. */
const NOT_FOUND = new AppError('METHOD_NOT_FOUND', 'Method not found');

/** Converts a handler's failure to a server error with a fixed message. The thrown error is in `data`. */
function toError(error: unknown, method: string): JsonRpcError {
  if (error === NOT_FOUND) return toJsonRpcError(NOT_FOUND);
  return { code: -32000, message: `${method} failed`, data: { error: messageOf(error) } };
}
