import type { TransportReceiver } from '../transport.ts';
import type { StartExchange } from './exchange/exchange.ts';
import { type Post, type PostContext, type PostHandler, PostRequest } from './post-request.ts';
import type { OpenResponses } from './response/open-responses.ts';

export interface PostsOptions {
  readonly where: string;
  readonly startExchange: StartExchange;
  readonly receiver: TransportReceiver;
  readonly responses: OpenResponses;
}

/** All messages being sent to one server, and the responses being read. */
export interface Posts {
  /** Number of open exchanges. */
  readonly size: number;
  /** Bytes that the server has not acknowledged with a response. */
  readonly queuedBytes: number;
  send(post: Post, handler: PostHandler): void;
  /** Aborts the request with this id, because its response is no longer needed. */
  forget(id: number): void;
  close(): void;
}

export function createPosts({ where, startExchange, receiver, responses }: PostsOptions): Posts {
  const open = new Set<PostRequest>();
  let queuedBytes = 0;
  let isClosed = false;
  const context: PostContext = {
    where,
    receiver,
    responses,
    released(bytes) {
      queuedBytes -= bytes;
    },
    closed: (request) => void open.delete(request),
  };
  return {
    get size() {
      return open.size;
    },
    get queuedBytes() {
      return queuedBytes;
    },
    send(post, handler) {
      if (isClosed) return;
      const request = new PostRequest(post, handler, context);
      open.add(request);
      queuedBytes += request.send(startExchange);
    },
    forget(id) {
      for (const request of open) if (request.post.request?.id === id) request.abort();
    },
    close() {
      isClosed = true;
      for (const request of open) request.abort();
    },
  };
}
