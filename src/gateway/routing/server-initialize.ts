import { AppError } from '../../base/errors.ts';
import { isStartingOrReady } from '../../upstream/state.ts';
import { isObject, resultText } from '../../wire/messages.ts';
import { negotiateVersion } from '../../wire/protocol-versions.ts';
import type { Client } from '../client/client.ts';
import { minimalInitializeResult } from '../gateway-info.ts';
import type { GatewayServer } from '../servers/gateway-server.ts';
import type { Readiness } from '../servers/readiness.ts';
import { DeferredResponse } from './deferred-response.ts';
import type { ClientRequest } from './routing.ts';

export interface ServerInitializeOptions {
  /** The server of the client. Undefined if it is no longer configured. */
  readonly server: GatewayServer | undefined;
  readonly readiness: Readiness;
  readonly timeoutMs: number;
  /** Masks secrets in text from the server. */
  readonly redact: (text: string) => string;
}

/**
 * Answers `initialize` of a client that sees one server with that server's own result: from the cache, or as soon as the
 * server is ready. After `timeoutMs`, the client gets a minimal result, and learns from `list_changed` what is there.
 */
export function initializeForServer(
  client: Client,
  { message, idText, exchange }: ClientRequest,
  { server, readiness, timeoutMs, redact }: ServerInitializeOptions,
) {
  if (server === undefined) throw new AppError('INVALID_REQUEST', 'This server is no longer configured.');
  const { upstream } = server;
  const context = { method: 'initialize', publicName: undefined, serverName: upstream.id };
  const deferred = new DeferredResponse({ client, idText, context, exchange });
  const answer = () => {
    if (deferred.isDone) return;
    const { state, initializeResult } = upstream;
    if (initializeResult !== undefined)
      return deferred.answer(resultText(idText, toClientResult(server, message.params, redact)));
    if (state.kind === 'error') return deferred.fail(state.error);
    if (state.kind === 'auth_required') return deferred.fail(new AppError('SIGN_IN_NEEDED', state.reason));
    // The lists are still empty, so the client is told as soon as they are not.
    for (const kind of ['tools', 'prompts', 'resources']) client.lists.recordRead(kind, 0);
    deferred.answer(resultText(idText, minimalInitializeResult(message.params)));
  };
  if (upstream.initializeResult !== undefined) return answer();
  const isDone = () => deferred.isDone || upstream.initializeResult !== undefined || !isStartingOrReady(upstream.state);
  readiness.callWhen(isDone, timeoutMs, answer);
}

/** The server chose its version for us. The instructions of a pinned server were approved by nobody. */
function toClientResult(
  { upstream, entry }: GatewayServer,
  params: unknown,
  redact: (text: string) => string,
): Readonly<Record<string, unknown>> {
  const parsed: unknown = JSON.parse(upstream.initializeResult?.json ?? '{}');
  const { instructions, ...result } = isObject(parsed) ? parsed : {};
  const protocolVersion = negotiateVersion(isObject(params) ? params['protocolVersion'] : undefined);
  const isShown = typeof instructions === 'string' && !entry.pin;
  return { ...result, protocolVersion, ...(isShown ? { instructions: redact(instructions) } : {}) };
}
