import { tryParseJson } from '../../../base/text/is-json.ts';
import { type Frame, frameText } from '../../../wire/frame.ts';
import { type OutgoingMessage, outgoingText } from '../../../wire/json/splice.ts';
import { isObject, type JsonObject } from '../../../wire/messages.ts';
import type { StreamChannel } from '../../../wire/stream/stream-channel.ts';
import { discoverText, readDiscovered } from '../modern/discovery.ts';
import { clientMembers } from '../modern/request-meta.ts';
import type { SentRequest, TransportReceiver, UpstreamTransport } from '../transport.ts';

export interface NegotiationOptions {
  readonly channel: Pick<StreamChannel, 'send'>;
  readonly receiver: Pick<TransportReceiver, 'frame'>;
  /** Begins with `server/discover`, because the server was modern when it last ran. */
  readonly isModernExpected: boolean;
  /** Called once, before the response to `initialize` is delivered. From then on, all messages bypass this. */
  readonly onLegacy: () => void;
  /** Called once, with the result of `server/discover` and the `initialize` request, which nobody has answered yet. */
  readonly onModern: (discovered: JsonObject, initialize: Initialize) => void;
}

export interface Initialize {
  readonly message: OutgoingMessage;
  readonly request: SentRequest;
}

/** Finds out which era a program speaks. Handles all messages until then. */
export interface Negotiation extends Pick<UpstreamTransport, 'send'> {
  receive(frame: Frame): void;
  /** Delivers a response that is held back, because the server has ended. */
  end(): void;
  /** Delivers nothing any more. */
  close(): void;
}

/** Time limit of the response to `server/discover`, which a legacy server may ignore. */
const DISCOVER_MS = 5_000;
const DISCOVER_ID = 'discover';

/**
 * Negotiates the era over the pipes of a running program. A legacy server notices nothing: it gets `initialize` first.
 * Only if it refuses that as a modern server would, it gets `server/discover`.
 */
export function createNegotiation(options: NegotiationOptions): Negotiation {
  const { channel, receiver, isModernExpected, onLegacy, onModern } = options;
  let initialize: Initialize | undefined;
  let refusal: Frame | undefined;
  let timer: NodeJS.Timeout | undefined;
  let hasDiscovered = false;

  const begin = (started: Initialize) => {
    initialize = started;
    if (isModernExpected) discover(started);
    else channel.send(started.message);
  };

  const discover = (started: Initialize) => {
    hasDiscovered = true;
    const { params } = JSON.parse(outgoingText(started.message));
    channel.send(discoverText(DISCOVER_ID, clientMembers(isObject(params) ? params : {})));
    timer = setTimeout(() => giveUp(started), DISCOVER_MS);
  };

  const stopTimer = () => {
    clearTimeout(timer);
    timer = undefined;
  };

  /** Reports the refusal of `initialize`, or sends `initialize` if it was not sent yet. */
  const giveUp = ({ message }: Initialize) => {
    stopTimer();
    if (refusal === undefined) channel.send(message);
    else settleLegacy(refusal);
  };

  const settleLegacy = (response: Frame) => {
    refusal = undefined;
    onLegacy();
    receiver.frame(response);
  };

  const receiveDiscovered = (response: JsonObject, started: Initialize) => {
    const discovered = readDiscovered(response);
    if (discovered === undefined) return timer === undefined ? undefined : giveUp(started);
    // Accepted late as well: the server may have started slowly.
    stopTimer();
    refusal = undefined;
    onModern(discovered, started);
  };

  return {
    send(message, request) {
      if (request?.method === 'initialize') return begin({ message, request });
      // The connection has accepted the response to `initialize`, in whatever form it came.
      if (initialize !== undefined && !hasDiscovered) onLegacy();
      channel.send(message);
    },
    receive(frame) {
      const message = tryParseJson(frameText(frame));
      if (initialize === undefined || !isObject(message) || message['method'] !== undefined)
        return receiver.frame(frame);
      if (hasDiscovered && message['id'] === DISCOVER_ID) return receiveDiscovered(message, initialize);
      if (String(message['id']) !== String(initialize.request.id)) return receiver.frame(frame);
      if (hasDiscovered || !isModernRefusal(message)) return settleLegacy(frame);
      refusal = frame;
      discover(initialize);
    },
    end() {
      stopTimer();
      if (refusal !== undefined) settleLegacy(refusal);
    },
    close() {
      stopTimer();
      refusal = undefined;
    },
  };
}

/** Returns whether a server that knows no `initialize` would respond to it like this. */
function isModernRefusal({ error }: JsonObject): boolean {
  return isObject(error) && MODERN_REFUSALS.has(error['code']);
}

/** Unknown method; unsupported version; a request without an envelope, as invalid params or as an invalid request. */
const MODERN_REFUSALS: ReadonlySet<unknown> = new Set([-32_601, -32_022, -32_602, -32_600]);
