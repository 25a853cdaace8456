import { tryParseJson } from '../../../base/text/is-json.ts';
import { SUBSCRIPTION_KEY } from '../../../wire/envelope-keys.ts';
import { type Frame, frameBytes, frameText } from '../../../wire/frame.ts';
import { rawMember, scanMembers } from '../../../wire/json/scan.ts';
import { isObject, notificationText } from '../../../wire/messages.ts';
import { salvageResponseId } from '../../../wire/relay/salvage.ts';
import type { StreamChannel } from '../../../wire/stream/stream-channel.ts';
import { MAX_CALLS } from '../../limits.ts';
import type { ListenReceiver, ModernCarrier, Round } from '../modern/carrier.ts';
import type { Pausable } from '../pausable.ts';
import type { TransportReceiver } from '../transport.ts';

export interface StdioCarrierOptions {
  readonly channel: Pick<StreamChannel, 'send'>;
  readonly receiver: TransportReceiver;
  readonly pausable: Pausable;
}

export interface StdioCarrier extends ModernCarrier {
  /** Receives every message of the server. */
  receive(frame: Frame): void;
}

/** Carries all messages of a modern server over one pair of pipes, and assigns each response to its round. */
export function createStdioCarrier({ channel, receiver, pausable }: StdioCarrierOptions): StdioCarrier {
  /** The current round of each pending request. */
  const rounds = new Map<number, Round>();
  let listening: { readonly id: string; readonly receiver: ListenReceiver } | undefined;

  const receiveResponse = (id: string, frame: Frame) => {
    if (id === listening?.id) {
      const ended = listening.receiver;
      listening = undefined;
      // A server that refuses the request would refuse it again.
      return rawMember(frameBytes(frame), 'error') === undefined ? ended.ended() : undefined;
    }
    const requestId = Number.parseInt(id, 10);
    const round = rounds.get(requestId);
    if (round === undefined || unquoted(round.idText) !== id)
      return LATER_ID.test(id) ? undefined : receiver.frame(frame);
    rounds.delete(requestId);
    round.frame(frame);
  };

  return {
    receive(frame) {
      const leadingId = salvageResponseId(frame);
      if (leadingId !== undefined) return receiveResponse(String(leadingId), frame);
      const id = readResponseId(frameBytes(frame));
      if (id !== undefined) return receiveResponse(id, frame);
      if (!isSubscribed(frame)) return receiver.frame(frame);
      listening?.receiver.frame(frame);
    },
    send(round) {
      if (rounds.size >= MAX_CALLS) for (const id of rounds.keys()) if (!receiver.isPending(id)) rounds.delete(id);
      rounds.set(round.request.id, round);
      channel.send(round.message);
    },
    notify: (_, text) => channel.send(text),
    cancel(id, params) {
      const round = rounds.get(id);
      // The server has answered if there is no round: the request waits for input.
      if (round === undefined) return;
      channel.send(notificationText('notifications/cancelled', { ...params, requestId: JSON.parse(round.idText) }));
    },
    listen({ id, text }, listener) {
      listening = { id, receiver: listener };
      channel.send(text);
      return {
        close() {
          if (listening?.id !== id) return;
          listening = undefined;
          channel.send(notificationText('notifications/cancelled', { requestId: id }));
        },
      };
    },
    forget: (id) => void rounds.delete(id),
    whenNotPaused: pausable.whenNotPaused,
  };
}

/** Ids that only we use: those of later rounds and of change streams. A late response to one is dropped. */
const LATER_ID = /^(?:\d+-\d+|listen-\d+)$/;

/** Returns the id of a response; undefined for every other message. */
function readResponseId(bytes: Buffer): string | undefined {
  const members = scanMembers(bytes);
  const id = members?.findLast(({ key }) => key === 'id');
  if (id === undefined || members?.some(({ key }) => key === 'method') === true) return undefined;
  return unquoted(bytes.toString('utf8', id.start, id.end));
}

/** Some servers return a number as text. */
function unquoted(idText: string): string {
  return idText.startsWith('"') ? idText.slice(1, -1) : idText;
}

/** Returns whether the notification belongs to a change stream. */
function isSubscribed(frame: Frame): boolean {
  // Most notifications report progress, and are not parsed here.
  if (!frame.some((piece) => piece.includes(SUBSCRIPTION_KEY))) return false;
  const message = tryParseJson(frameText(frame));
  const params = isObject(message) ? message['params'] : undefined;
  const meta = isObject(params) ? params['_meta'] : undefined;
  return isObject(meta) && Object.hasOwn(meta, SUBSCRIPTION_KEY);
}
