import { toJsonRpcError } from '../../base/error-translation.ts';
import { AppError } from '../../base/errors.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import type { UpstreamListener } from '../../upstream/upstream-options.ts';
import { errorText, resultText } from '../../wire/messages.ts';
import { idTextOf } from '../../wire/relay/id-text.ts';
import type { Client } from '../client/client.ts';
import type { GatewayLog } from '../gateway.ts';
import { type Audience, attributeRequest } from './attribution.ts';
import { forwardCancellation, relatedRequest, type ServerMessage } from './notifications.ts';
import type { RequestOrigin } from './server-requests.ts';
import { toClientFrame } from './task-recipients.ts';

/** Events that a gateway for one server and a gateway for many handle differently. */
export interface UpstreamEvents extends Pick<UpstreamListener, 'stateChanged' | 'connected'> {
  notification(received: ServerMessage): void;
}

/** The clients of a gateway, as its servers see them. */
export interface ServerAudience extends Audience {
  /** Returns the roots for a process that was told of roots, if they are not those of one client. */
  sharedRoots(upstream: Upstream): readonly unknown[] | undefined;
  /**
   * Called when a process that serves several clients asks by elicitation or sampling and names no call. `client` is the
   * client that it is for, if known.
   */
  asked?(upstream: Upstream, client: Client | undefined): void;
}

/** Forwards the messages of upstreams to the clients, and their events to the log. */
export function createUpstreamListener(
  audience: ServerAudience,
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
      for (const client of audience.all) client.serverRequests.cancel(upstream);
    },
    request: (upstream, message, frame, call) => forwardServerRequest({ upstream, message, frame, call }, audience),
    notification(upstream, message, frame, call) {
      log.notification(upstream, message);
      const received = { upstream, message, frame, call };
      if (message.method === 'notifications/cancelled') return forwardCancellation(received, audience.all);
      events.notification(received);
    },
    invalidMessage(upstream, error) {
      // Users notice a missing tool, so an invalid one is a warning. Invalid output on stdout is not.
      const write = error.code === 'TOOL_INVALID' ? log.warn : log.debug;
      write(`${upstream.id}: ${error.message}`);
    },
  };
}

/** Forwards a server request to the one client that it can be for. */
function forwardServerRequest(request: ServerMessage, audience: ServerAudience) {
  const { upstream, message, frame } = request;
  const idText = idTextOf(message, frame);
  if (message.method === 'ping') return upstream.respond(resultText(idText, {}));
  const ofTask = audience.tasks?.recipientsOf(request);
  const forwardTo = (client: Client, origin: RequestOrigin = { carrier: client.onlyRequestTo(upstream) }) =>
    client.serverRequests.forward(upstream, message, toClientFrame(frame, client, ofTask), origin);
  const related = relatedRequest(request);
  if (related !== undefined) return forwardTo(related.client, { related });
  if (ofTask !== undefined) {
    const [owner] = ofTask.clients;
    if (owner !== undefined) return forwardTo(owner);
    const error = new AppError('METHOD_NOT_FOUND', `${message.method}: the client that started the task has left.`);
    return upstream.respond(errorText(idText, toJsonRpcError(error)));
  }
  const client = attributeRequest(upstream, audience);
  const served = audience.clientsOf(upstream).filter(({ isAttached }) => !isAttached);
  if (ASKING_METHODS.has(message.method) && served.length > 1) audience.asked?.(upstream, client);
  if (client !== undefined) return forwardTo(client);
  const roots = message.method === 'roots/list' ? audience.sharedRoots(upstream) : undefined;
  if (roots !== undefined) return upstream.respond(resultText(idText, { roots }));
  const error = unattributed(upstream, message.method, served.length);
  upstream.respond(errorText(idText, toJsonRpcError(error)));
}

/** Requests that a person or a model answers. */
const ASKING_METHODS: ReadonlySet<unknown> = new Set(['elicitation/create', 'sampling/createMessage']);

function unattributed({ id }: Upstream, method: unknown, clients: number): AppError {
  const why =
    clients === 0
      ? `no client of ${id} is connected.`
      : `${id} serves ${clients} clients, and its request does not say which of them it is for.`;
  // The pool gives each client its own process after the first question.
  const next = clients > 0 && ASKING_METHODS.has(method) ? ' Repeat the call: it gets a process of its own.' : '';
  return new AppError('METHOD_NOT_FOUND', `${method}: ${why}${next}`);
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
