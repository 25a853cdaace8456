import { AppError, toAppError } from '../../../../base/errors.ts';
import type { Frame } from '../../../../wire/frame.ts';
import { type JsonObject, requestText } from '../../../../wire/messages.ts';
import type { ModernCarrier, Round } from '../../modern/carrier.ts';
import type { TransportReceiver } from '../../transport.ts';
import type { StartExchange } from '../exchange/exchange.ts';
import type { PostHandler } from '../post-request.ts';
import type { Posts } from '../posts.ts';
import type { OpenResponses } from '../response/open-responses.ts';
import { createUnauthorizedCalls } from '../unauthorized-calls.ts';
import { isServerGone, type UndeliveredRequests } from '../undelivered-requests.ts';
import { createKnownTools } from './known-tools.ts';
import { listTools } from './list-tools.ts';
import { openListenStream } from './listen-stream.ts';
import { methodHeaders, roundHeaders } from './request-headers.ts';

export interface HttpCarrierOptions {
  readonly posts: Posts;
  readonly responses: OpenResponses;
  readonly undelivered: UndeliveredRequests;
  readonly startExchange: StartExchange;
  readonly receiver: TransportReceiver;
  /** Returns the `_meta` members of every request. */
  readonly meta: () => JsonObject;
}

/** Carries each message of a modern server in its own HTTP request, with the headers that repeat its contents. */
export function createHttpCarrier(options: HttpCarrierOptions): ModernCarrier {
  const { posts, responses, undelivered, startExchange, receiver, meta } = options;
  const handler = createPostHandler(options);
  const tools = createKnownTools();

  const withoutUnusableTools = (page: Frame): Frame => {
    const { frame, dropped } = tools.listed(page);
    for (const why of dropped) receiver.reportError(new AppError('TOOL_INVALID', why));
    return frame;
  };

  const post = (round: Round, hasListed: boolean) => {
    const { request, message } = round;
    posts.send(
      { message, headers: roundHeaders(round, tools), request },
      {
        ...handler,
        frame: (_, frame) => round.frame(request.method === 'tools/list' ? withoutUnusableTools(frame) : frame),
        // The request lacks a header that only the tool list declares: a call may arrive before we have read the list.
        rejected(_, { rpcError }) {
          if (rpcError?.code !== HEADER_MISMATCH || request.method !== 'tools/call' || hasListed) return false;
          listTools({ startExchange, meta, tools }).then(
            // Not if the caller has gone meanwhile: then the server must not run the request.
            () => (receiver.isPending(request.id) ? post(round, true) : undefined),
            (error: unknown) => receiver.requestFailed(request.id, toAppError(error)),
          );
          return true;
        },
        isAwaitingInput: round.isAwaitingInput,
        done: () => undelivered.forget(request.id),
      },
    );
  };

  return {
    send(round) {
      // A later round is never undelivered as a whole: the server has seen the request.
      if (round.number === 0) undelivered.recordSent(round.request);
      post(round, false);
    },
    notify(method, text) {
      posts.send({ message: text, headers: methodHeaders(method), request: undefined }, handler);
    },
    // `forget` closes the response, which is how HTTP requests are cancelled.
    cancel() {},
    listen: (request, listener) => openListenStream({ startExchange, read: responses.readEvents }, request, listener),
    forget(id) {
      undelivered.forget(id);
      posts.forget(id);
    },
    whenNotPaused: responses.whenNotPaused,
  };
}

const HEADER_MISMATCH = -32_020;

/**
 * Creates the handler of notifications and responses, which ends the connection if the server is unreachable or
 * requires a sign-in. Without sessions, nothing else can be lost.
 */
function createPostHandler({ undelivered, startExchange, receiver, meta }: HttpCarrierOptions): PostHandler {
  const unauthorizedCalls = createUnauthorizedCalls({
    startExchange,
    listRequest: () => ({
      headers: methodHeaders('tools/list'),
      body: requestText('refused', 'tools/list', { _meta: meta() }),
    }),
    requestFailed: receiver.requestFailed,
    end: receiver.end,
  });
  return {
    frame: (_, frame) => receiver.frame(frame),
    rejected: () => false,
    undelivered(post, failure) {
      undelivered.recordFailure(post.request, failure);
      const isGone = isServerGone(failure);
      if (isGone && !unauthorizedCalls.handle(post.request, failure)) receiver.end(failure.error);
      return isGone;
    },
    interrupted: () => false,
    done() {},
  };
}
