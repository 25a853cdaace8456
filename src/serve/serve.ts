import { type JsonRpcError, toJsonRpcError } from '../base/error-translation.ts';
import { AppError, messageOf } from '../base/errors.ts';
import { VERSION } from '../base/version.ts';
import { isObject } from '../wire/messages.ts';
import { negotiateVersion } from '../wire/protocol-versions.ts';
import { createPeer } from '../wire/rpc/peer.ts';
import { runUntilClosed } from './connection-lifecycle.ts';
import type { Transport } from './fronts/transport.ts';
import type { AnyToolCallResult, Request, ToolCallParams, ToolsListResult } from './protocol.ts';

/** A tool server by hand. Nothing is validated and nothing is added: what you return is what the client gets. */
export interface Handler {
  /** Answers `initialize`; without it the client is told of tools and of nothing else. */
  initialize?(params: unknown): unknown;
  toolsList(): ToolsListResult | Promise<ToolsListResult>;
  toolsCall(params: ToolCallParams): AnyToolCallResult | Promise<AnyToolCallResult>;
  /** Every other method but `ping`. Undefined means: not found. */
  request?(request: Request): unknown;
}

/** Routes the messages of one transport to a handler until the client leaves. */
export function serve(transport: Transport, handler: Handler): Promise<void> {
  const peer = createPeer({
    send: (text) => transport.send(text),
    onRequest: ({ id, method, params }) => route(handler, { jsonrpc: '2.0', id, method, params: params ?? null }),
    // It runs like a request, and is never answered.
    onNotification: (method, params) => route(handler, { jsonrpc: '2.0', method, params: params ?? null }),
    toError,
  });
  return runUntilClosed(transport, peer);
}

async function route(handler: Handler, request: Request): Promise<unknown> {
  switch (request.method) {
    case 'initialize':
      return handler.initialize === undefined ? defaultInitialize(request.params) : handler.initialize(request.params);
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

function defaultInitialize(params: unknown): unknown {
  const requested = isObject(params) ? params['protocolVersion'] : undefined;
  return {
    protocolVersion: negotiateVersion(requested),
    capabilities: { tools: {} },
    serverInfo: { name: 'switchboard-kit', version: VERSION },
  };
}

function callParams(params: unknown): ToolCallParams {
  if (!isObject(params) || typeof params['name'] !== 'string') throw new Error('params.name must be a string');
  return { ...params, name: params['name'], arguments: 'arguments' in params ? params['arguments'] : {} };
}

/** Told apart by identity: whatever a handler throws is its own failure. */
const NOT_FOUND = new AppError('METHOD_NOT_FOUND', 'Method not found');

/** A handler's failure is a server error with a fixed message; what was thrown travels in `data`. */
function toError(error: unknown, method: string): JsonRpcError {
  if (error === NOT_FOUND) return toJsonRpcError(NOT_FOUND);
  return { code: -32000, message: `${method} failed`, data: { error: messageOf(error) } };
}
