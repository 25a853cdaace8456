import { toJsonRpcError } from '../../base/error-translation.ts';
import { AppError } from '../../base/errors.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import type { UpstreamListener } from '../../upstream/upstream-options.ts';
import type { Frame } from '../../wire/frame.ts';
import { errorText, resultText } from '../../wire/messages.ts';
import { idTextOf } from '../../wire/relay/id-text.ts';
import type { Client } from '../client/client.ts';
import type { GatewayLog } from '../gateway.ts';
import { missingCapability } from './capabilities.ts';
import { forwardCancellation, recipientsOf, relatedRequest, type UpstreamMessage } from './notifications.ts';

/** Events that a gateway for one server and a gateway for many handle differently. */
export interface UpstreamEvents extends Pick<UpstreamListener, 'stateChanged' | 'connected'> {
  notification(received: UpstreamMessage): void;
  /** Returns the client of the task that a request is about, and the request as that client understands it. */
  taskClient?(received: UpstreamMessage): { readonly client: Client; readonly frame: Frame } | undefined;
}

/** Forwards the messages of upstreams to the clients, and their events to the log. */
export function createUpstreamListener(
  clients: ReadonlySet<Client>,
  log: GatewayLog,
  events: UpstreamEvents,
): UpstreamListener {
  return {
    stateChanged(upstream) {
      log.debug(`${upstream.id}: ${describe(upstream)}`);
      events.stateChanged(upstream);
    },
    connected: (upstream) => events.connected(upstream),
    disconnected(upstream) {
      for (const client of clients) client.serverRequests.cancel(upstream);
    },
    request: (upstream, message, frame, call) =>
      forwardServerRequest({ upstream, message, frame, call }, clients, events),
    notification(upstream, message, frame, call) {
      log.notification(upstream, message);
      const received = { upstream, message, frame, call };
      if (message.method === 'notifications/cancelled') return forwardCancellation(received, clients);
      events.notification(received);
    },
    invalidMessage(upstream, error) {
      // Users notice a missing tool, so an invalid one is a warning. Invalid output on stdout is not.
      const write = error.code === 'TOOL_INVALID' ? log.warn : log.debug;
      write(`${upstream.id}: ${error.message}`);
    },
  };
}

/** Forwards a server request to the one client that it can be for and that supports it. */
function forwardServerRequest(received: UpstreamMessage, clients: ReadonlySet<Client>, events: UpstreamEvents) {
  const { upstream, message, frame } = received;
  const idText = idTextOf(message, frame);
  if (message.method === 'ping') return upstream.respond(resultText(idText, {}));
  const related = relatedRequest(received);
  if (related !== undefined) return related.client.serverRequests.forward(upstream, message, frame, { related });
  const ofTask = events.taskClient?.(received);
  if (ofTask !== undefined) {
    const carrier = ofTask.client.onlyRequestTo(upstream);
    return ofTask.client.serverRequests.forward(upstream, message, ofTask.frame, { carrier });
  }
  const candidates = recipientsOf(upstream, clients);
  const capable = candidates.filter(
    (client) => !client.isInitialized || missingCapability(message, client.capabilities) === undefined,
  );
  const [client] = capable.length > 0 ? capable : candidates;
  if (client !== undefined && capable.length <= 1)
    return client.serverRequests.forward(upstream, message, frame, { carrier: client.onlyRequestTo(upstream) });
  const error = new AppError('METHOD_NOT_FOUND', `${message.method}: cannot determine which client this is for.`);
  upstream.respond(errorText(idText, toJsonRpcError(error)));
}

function describe({ state, where, initializeResult }: Upstream): string {
  switch (state.kind) {
    case 'ready':
      return `ready (${where}, protocol ${initializeResult?.protocolVersion})`;
    case 'error':
      return `error: ${state.error.message}`;
    case 'auth_required':
      return `${state.kind}: ${state.reason}`;
    case 'idle':
    case 'connecting':
      return state.kind;
  }
}
