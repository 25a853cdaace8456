import type { Readable } from 'node:stream';
import { AppError } from '../../../../base/errors.ts';
import { DEFAULT_MAX_MESSAGE_BYTES } from '../../../../wire/stream/framing.ts';
import type { UpstreamTransport } from '../../transport.ts';
import type { PostHandler } from '../post-request.ts';
import { createPosts } from '../posts.ts';
import { createOpenResponses } from '../response/open-responses.ts';
import { readEvents } from '../response/read-events.ts';
import type { SessionOptions } from './session.ts';

/**
 * Opens the oldest HTTP transport: the server names the address for our messages on a stream and responds on that
 * stream.
 * https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
export function openLegacySse(options: SessionOptions & { readonly url: URL }): Promise<UpstreamTransport> {
  const {
    where,
    startExchange,
    receiver,
    url,
    maxMessageBytes: maxBytes = DEFAULT_MAX_MESSAGE_BYTES,
    budget,
  } = options;
  let path: string | undefined;
  let stream: Readable | undefined;
  let lastSequence = 0;
  let isClosed = false;
  const end = (reason: AppError) => {
    if (isClosed) return;
    isClosed = true;
    posts.close();
    receiver.end(reason);
  };
  const posts = createPosts({ where, startExchange, receiver, responses: createOpenResponses(options) });
  // Responses arrive on the stream, and every failure is that of its request.
  const handler: PostHandler = {
    frame: ({ request }, frame) => receiver.frame(frame, request?.id),
    rejected: () => false,
    undelivered: () => false,
    interrupted: () => false,
    done() {},
  };

  return new Promise((resolve, reject) => {
    const endpointNamed = (name: string, data: string) => {
      if (name !== 'endpoint' || path !== undefined) return;
      const target = URL.canParse(data, url.href) ? new URL(data, url) : undefined;
      if (target === undefined || target.origin !== url.origin) {
        exchange.abort();
        return reject(
          new AppError('DENIED', `${where} names an endpoint at another origin, which Switchboard does not use.`),
        );
      }
      path = target.pathname + target.search;
      resolve(transport);
    };
    const finish = (reason = new AppError('CONNECTION_CLOSED', `${where} ended the stream.`)) => {
      if (path === undefined) reject(reason);
      else end(reason);
    };
    const exchange = startExchange(
      { method: 'GET', headers: NO_HEADERS },
      {
        response(response) {
          const sink = { message: receiver.frame, named: endpointNamed };
          stream = readEvents(response, sink, { maxBytes, budget }, (_, error) => finish(error));
        },
        failed: ({ error }) => finish(error),
      },
    );

    const transport: UpstreamTransport = {
      where,
      send(message, request) {
        if (!isClosed) posts.send({ message, request, headers: NO_HEADERS, path, respondsElsewhere: true }, handler);
      },
      forget: (id) => posts.forget(id),
      queuedBytes: () => posts.queuedBytes,
      nextSequence: () => ++lastSequence,
      isUnsent: () => false,
      pause: () => void stream?.pause(),
      resume: () => void stream?.resume(),
      stderrTail: () => [],
      async close() {
        isClosed = true;
        posts.close();
        exchange.abort();
      },
    };
  });
}

const NO_HEADERS = {};
