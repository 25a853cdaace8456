import type { Credentials } from '../../../auth/credentials/credentials.ts';
import { AppError, toAppError } from '../../../base/errors.ts';
import { createAgents } from '../../../net/agents.ts';
import type { Outgoing } from '../../../wire/json/splice.ts';
import type { ByteBudget } from '../../../wire/stream/byte-budget.ts';
import type { SentRequest, TransportReceiver, UpstreamTransport } from '../transport.ts';
import { createExchange } from './exchange/exchange.ts';
import type { KnownWays } from './known-variants.ts';
import { openTwoAddresses } from './legacy/legacy-sse.ts';
import { openSession } from './legacy/session.ts';
import { openConversation } from './modern/modern-transport.ts';
import { negotiate, type Way } from './protocol-negotiation.ts';

export interface HttpServer {
  readonly url: string;
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly isSse: boolean;
  readonly maxMessageBytes?: number | undefined;
  /** The server has answered for the first time: how it is spoken to, and whether somebody has signed in to it. */
  readonly onMet?: ((way: Way['kind'], isSignedIn: boolean) => void) | undefined;
}

export interface HttpSurroundings {
  /** For proxies. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Undefined: nobody signs in here. */
  readonly credentials: Credentials | undefined;
  readonly ways: KnownWays;
  /** What all servers together have begun to say and not ended. */
  readonly budget?: ByteBudget | undefined;
}

/**
 * A server that is reached by its address. Nothing is sent before the greeting: how it is spoken to is found out then,
 * within the time that the greeting has.
 */
export async function openHttp(
  server: HttpServer,
  { env, credentials, ways, budget }: HttpSurroundings,
  receiver: TransportReceiver,
): Promise<UpstreamTransport> {
  const url = new URL(server.url);
  const where = url.host;
  const agents = await createAgents(url, env);
  const begin = createExchange({ url, agents, headers: server.headers, credentials });
  const common = { where, begin, receiver, maxMessageBytes: server.maxMessageBytes, budget };
  let inner: UpstreamTransport | undefined;
  let isClosed = false;
  let isPaused = false;
  let marks = 0;
  let found: Way | undefined;

  const openWay = async (way: Way, onModern?: () => void): Promise<UpstreamTransport> => {
    found = way;
    switch (way.kind) {
      case 'modern':
        return openConversation({ ...common, discovered: way.discovered });
      case 'two-addresses':
        return await openTwoAddresses({ ...common, url });
      case 'session':
        return openSession({ ...common, onModern });
    }
  };

  const greet = async (message: Outgoing, request: SentRequest, patienceMs?: number) => {
    try {
      const way = ways.find(server.url) ?? (await negotiate(begin, { isSse: server.isSse, patienceMs }));
      if (way.kind !== 'session' || !way.isGuess) server.onMet?.(way.kind, credentials?.authorization() !== undefined);
      // It was too busy to say what it speaks, and says so now.
      const again = () => void greet(message, request, LONG_PATIENCE_MS);
      const opened = await openWay(way, way.kind === 'session' && patienceMs === undefined ? again : undefined);
      if (isClosed) return await opened.close();
      inner = opened;
      if (isPaused) opened.pause();
      opened.mark();
      opened.send(message, request);
    } catch (error) {
      receiver.failed(request.id, toAppError(error));
    }
  };

  return {
    where: `${where}${url.pathname}`,
    send(message, request) {
      // It was greeted well: that is what is worth keeping.
      if (found !== undefined && request === undefined) ways.keep(server.url, found);
      found = undefined;
      if (inner !== undefined) return inner.send(message, request);
      if (request?.method === 'initialize') void greet(message, request);
      else if (request !== undefined)
        receiver.failed(request.id, new AppError('CONNECTION_CLOSED', `${where} has not been greeted yet.`));
    },
    forget: (id) => inner?.forget?.(id),
    queuedBytes: () => inner?.queuedBytes() ?? 0,
    mark: () => inner?.mark() ?? ++marks,
    isUntouched: (mark) => inner?.isUntouched(mark) ?? true,
    isUnheard: (mark) => inner?.isUnheard?.(mark) ?? false,
    pause() {
      isPaused = true;
      inner?.pause();
    },
    resume() {
      isPaused = false;
      inner?.resume();
    },
    lastWords: () => [],
    async close() {
      if (isClosed) return;
      isClosed = true;
      await inner?.close();
      agents.close();
    },
  };
}

const LONG_PATIENCE_MS = 20_000;
