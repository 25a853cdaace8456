import type { Credentials } from '../../../auth/credentials/credentials.ts';
import { AppError, toAppError } from '../../../base/errors.ts';
import { createAgents } from '../../../net/agents.ts';
import type { OutgoingMessage } from '../../../wire/json/splice.ts';
import type { ByteBudget } from '../../../wire/stream/byte-budget.ts';
import type { SentRequest, TransportReceiver, UpstreamTransport } from '../transport.ts';
import { createExchangeStarter } from './exchange/exchange.ts';
import type { KnownVariants } from './known-variants.ts';
import { openLegacySse } from './legacy/legacy-sse.ts';
import { openSession } from './legacy/session.ts';
import { openModernTransport } from './modern/modern-transport.ts';
import { negotiateVariant, type ProtocolVariant } from './protocol-negotiation.ts';

export interface HttpServer {
  readonly url: string;
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly isSse: boolean;
  readonly maxMessageBytes?: number | undefined;
  /**
   * Called when the server has responded for the first time, with its protocol variant and whether we are signed in.
   */
  readonly onNegotiated?: ((variant: ProtocolVariant['kind'], isSignedIn: boolean) => void) | undefined;
}

export interface HttpContext {
  /** Read for proxy settings. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Undefined: no sign-in for this server. */
  readonly credentials: Credentials | undefined;
  readonly variants: KnownVariants;
  /** Shared limit on incomplete messages of all servers. */
  readonly budget?: ByteBudget | undefined;
}

/**
 * Opens an HTTP server. Sends nothing before `initialize`; the protocol variant is negotiated then, within the timeout
 * of `initialize`.
 */
export async function openHttp(
  server: HttpServer,
  { env, credentials, variants, budget }: HttpContext,
  receiver: TransportReceiver,
): Promise<UpstreamTransport> {
  const url = new URL(server.url);
  const where = url.host;
  const agents = await createAgents(url, env);
  const startExchange = createExchangeStarter({ url, agents, headers: server.headers, credentials });
  const common = { where, startExchange, receiver, maxMessageBytes: server.maxMessageBytes, budget };
  let inner: UpstreamTransport | undefined;
  let isClosed = false;
  let isPaused = false;
  let lastSequence = 0;
  let negotiated: ProtocolVariant | undefined;

  const openVariant = async (variant: ProtocolVariant, onModern?: () => void): Promise<UpstreamTransport> => {
    negotiated = variant;
    switch (variant.kind) {
      case 'modern':
        return openModernTransport({ ...common, discovered: variant.discovered });
      case 'legacy-sse':
        return await openLegacySse({ ...common, url });
      case 'session':
        return openSession({ ...common, onModern });
    }
  };

  const initialize = async (message: OutgoingMessage, request: SentRequest, probeTimeoutMs?: number) => {
    try {
      const variant =
        variants.find(server.url) ?? (await negotiateVariant(startExchange, { isSse: server.isSse, probeTimeoutMs }));
      if (variant.kind !== 'session' || !variant.isGuess)
        server.onNegotiated?.(variant.kind, credentials?.hasToken() ?? false);
      // Negotiates once more if the server turns out to be modern: it was too busy to answer the first probe.
      const again = () => void initialize(message, request, SECOND_PROBE_MS);
      const opened = await openVariant(
        variant,
        variant.kind === 'session' && probeTimeoutMs === undefined ? again : undefined,
      );
      if (isClosed) return await opened.close();
      inner = opened;
      if (isPaused) opened.pause();
      opened.nextSequence();
      opened.send(message, request);
    } catch (error) {
      receiver.requestFailed(request.id, toAppError(error));
    }
  };

  return {
    where: `${where}${url.pathname}`,
    send(message, request) {
      // The handshake succeeded, so the variant is worth remembering.
      if (negotiated !== undefined && request === undefined) variants.remember(server.url, negotiated);
      negotiated = undefined;
      if (inner !== undefined) return inner.send(message, request);
      if (request?.method === 'initialize') void initialize(message, request);
      else if (request !== undefined)
        receiver.requestFailed(request.id, new AppError('CONNECTION_CLOSED', `${where} has not been initialized yet.`));
    },
    forget: (id) => inner?.forget?.(id),
    queuedBytes: () => inner?.queuedBytes() ?? 0,
    nextSequence: () => inner?.nextSequence() ?? ++lastSequence,
    isUnsent: (sequence) => inner?.isUnsent(sequence) ?? true,
    isUndelivered: (sequence) => inner?.isUndelivered?.(sequence) ?? false,
    pause() {
      isPaused = true;
      inner?.pause();
    },
    resume() {
      isPaused = false;
      inner?.resume();
    },
    stderrTail: () => [],
    async close() {
      if (isClosed) return;
      isClosed = true;
      await inner?.close();
      agents.close();
    },
  };
}

const SECOND_PROBE_MS = 20_000;
