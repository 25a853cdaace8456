import { AppError } from '../base/errors.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { RawJson, resultText } from '../wire/messages.ts';
import { passFrame } from '../wire/pass.ts';
import type { Client } from './client.ts';
import { meetClient } from './meet-client.ts';
import { relayRequest } from './relay-request.ts';
import type { ClientRequest, Routing } from './routing.ts';
import { forwardCall } from './single.ts';
import { Deferred } from './under-way.ts';

/**
 * How one client beside the usual ones speaks to one server, as if it were connected to nothing else: names and texts
 * pass as they are. What the server itself says is passed on by the routing of the whole gateway.
 */
export function createAttachedRouting(upstream: Upstream): Routing {
  return {
    call: (client, call, reply) => client.begin(forwardCall(client, upstream, call, reply)),
    request(client, request) {
      if (request.method === 'initialize') return void greet(client, upstream, request);
      relayRequest(client, upstream, request);
    },
    notification(_client, _message, frame) {
      const passed = passFrame(frame);
      if (passed !== undefined) upstream.send(passed);
    },
    upstreamNotification() {},
    connected() {},
    stateChanged() {},
  };
}

/** In the server's own words, as soon as it is ready. */
async function greet(client: Client, upstream: Upstream, { message, idText, reply }: ClientRequest): Promise<void> {
  meetClient(client, message.params, 'none');
  const context = { method: 'initialize', toolName: undefined, serverName: upstream.id };
  const deferred = new Deferred({ client, idText, context, reply });
  const failure = upstream.state.kind === 'ready' ? undefined : await whyNotReady(upstream);
  if (upstream.facts !== undefined && failure === undefined)
    return deferred.answer(resultText(idText, new RawJson(upstream.facts.json)));
  deferred.fail(failure ?? new AppError('START_FAILED', `${upstream.id} did not say what it is.`));
}

/** A request of our own waits until the server is ready; what it is answered is of no interest. */
async function whyNotReady(upstream: Upstream): Promise<AppError | undefined> {
  try {
    await upstream.request('ping', {});
    return undefined;
  } catch (error) {
    const refused = error as AppError;
    return upstream.state.kind === 'ready' && refused.code === 'REQUEST_FAILED' ? undefined : refused;
  }
}
