import { tryParseJson } from '../../base/text/is-json.ts';
import { carriesEnvelope } from '../../serve/eras/envelope.ts';
import { type Frame, frameText } from '../../wire/frame.ts';
import type { OutgoingMessage } from '../../wire/json/splice.ts';
import { isObject } from '../../wire/messages.ts';
import type { Exchange } from '../../wire/rpc/exchange.ts';
import type { Client } from '../client/client.ts';
import { createHeldRequests } from './held-requests.ts';
import { ModernClient } from './modern-client.ts';

/** The messages of one client on one connection, in whichever era it speaks. */
export interface ConnectionEras {
  readonly client: Client;
  receive(frame: Frame): void;
  /** The client was answered in the legacy era before the gateway was loaded. */
  startedLegacy(): void;
}

/**
 * Opens a client whose first request decides the era: an envelope means the modern one. `initialize` switches back to
 * the legacy era, for clients that try the modern one first. A legacy client pays for none of this.
 */
export function openEras(
  connect: (send: (message: OutgoingMessage) => void) => Client,
  send: (message: OutgoingMessage) => void,
): ConnectionEras {
  let era: 'undecided' | 'legacy' | 'modern' = 'undecided';
  let modern: ModernClient | undefined;
  const client = connect((message) => {
    if (era === 'modern') modern?.deliver(message);
    else send(message);
  });
  const output: Exchange = {
    send,
    respond(message) {
      if (message !== undefined) send(message);
    },
  };
  const openModern = () => {
    modern ??= new ModernClient({ client, owner: '', held: createHeldRequests(), isShared: false, isPrivate: false });
    return modern;
  };
  const setEra = (decided: 'legacy' | 'modern') => {
    era = decided;
    client.needsCarrier = decided === 'modern';
  };
  return {
    client,
    receive(frame) {
      if (era === 'legacy') return client.receive(frame);
      const chosen = chooseEra(frame, era);
      if (chosen !== undefined) setEra(chosen);
      if (era === 'modern') openModern().receive(frame, output);
      else client.receive(frame);
    },
    startedLegacy: () => setEra('legacy'),
  };
}

/** Returns the era of a request. Undefined if the message decides nothing. */
function chooseEra(frame: Frame, current: 'undecided' | 'modern'): 'legacy' | 'modern' | undefined {
  // Once the client has used the modern era, only `initialize` changes it, and no other message needs to be parsed.
  if (current === 'modern' && !frame.some((piece) => piece.includes('initialize'))) return undefined;
  const message = tryParseJson(frameText(frame));
  if (!isObject(message) || typeof message['method'] !== 'string' || message['id'] === undefined) return undefined;
  const { method, params } = message;
  if (carriesEnvelope(params) || method === 'server/discover') return 'modern';
  if (method === 'initialize') return 'legacy';
  // A request without an envelope is an error once the client has used the modern era.
  return current === 'undecided' ? 'legacy' : undefined;
}
