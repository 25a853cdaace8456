import type { JsonObject } from '../../../../wire/messages.ts';
import { createModernAdapter } from '../../modern/modern-adapter.ts';
import { createRequestMeta } from '../../modern/request-meta.ts';
import type { TransportReceiver, UpstreamTransport } from '../../transport.ts';
import type { StartExchange } from '../exchange/exchange.ts';
import { createPosts } from '../posts.ts';
import { createOpenResponses, type ReadLimits } from '../response/open-responses.ts';
import { createUndeliveredRequests } from '../undelivered-requests.ts';
import { createHttpCarrier } from './http-carrier.ts';

export interface ModernTransportOptions extends ReadLimits {
  readonly where: string;
  readonly startExchange: StartExchange;
  readonly receiver: TransportReceiver;
  /** The result of `server/discover`. */
  readonly discovered: JsonObject;
}

/** Opens a modern server over HTTP. It has no sessions: every message is its own exchange. */
export function openModernTransport(options: ModernTransportOptions): UpstreamTransport {
  const { where, startExchange, receiver, discovered } = options;
  const meta = createRequestMeta();
  const undelivered = createUndeliveredRequests();
  const responses = createOpenResponses(options);
  const posts = createPosts({ where, startExchange, receiver, responses });
  const carrier = createHttpCarrier({ posts, responses, undelivered, startExchange, receiver, meta: meta.members });
  const adapter = createModernAdapter({ where, carrier, receiver, meta, discovered });
  return {
    where,
    send: adapter.send,
    forget: adapter.forget,
    queuedBytes: () => posts.queuedBytes,
    nextSequence: undelivered.nextSequence,
    isUnsent: undelivered.isUndelivered,
    isUndelivered: undelivered.isUndelivered,
    pause: responses.pause,
    resume: responses.resume,
    stderrTail: () => [],
    async close() {
      adapter.close();
      posts.close();
    },
  };
}
