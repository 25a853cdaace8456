import { toJsonRpcError } from '../../base/error-translation.ts';
import { AppError } from '../../base/errors.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { type Frame, frameLength } from '../../wire/frame.ts';
import type { Outgoing } from '../../wire/json/splice.ts';
import { errorText, type Incoming, notificationText } from '../../wire/messages.ts';
import { idTextOf } from '../../wire/relay/id-text.ts';
import type { Relayed } from '../../wire/relay/relay-peer.ts';
import type { WaitingTable } from '../../wire/rpc/pending-requests.ts';
import type { Forward } from '../routing/forwarded-request.ts';
import { whyNotAsked } from './capabilities.ts';
import { Asked } from './forwarded-server-request.ts';

/** What a question needs of the client that it is for. */
export interface Questioned {
  /** Who waits for answers of this client. */
  readonly waiting: WaitingTable<Relayed>;
  capabilities(): unknown;
  /** False if the client could not parse the message; it is then not sent. */
  send(message: Outgoing): boolean;
}

/** What upstreams ask one client. Before the client is ready, questions and news wait for it, so many of them. */
const MAX_HELD = 256;
const MAX_HELD_BYTES = 16 * 1024 * 1024;
/** Questions of one upstream that the client has not answered yet. */
const MAX_OPEN = 256;
/** A person may have to think about it. */
const ASKED_TIMEOUT_MS = 3_600_000;

interface Held {
  readonly upstream?: Upstream;
  /** The upstream's id of a question, as JSON text. */
  readonly idText?: string;
  readonly bytes: number;
  readonly release: () => void;
}

export class Questions {
  readonly #client: Questioned;
  #held: Held[] = [];
  #isReady = false;

  constructor(client: Questioned) {
    this.#client = client;
  }

  /** The client has said that it is ready. */
  release(): void {
    this.#isReady = true;
    for (const { release } of this.#held.splice(0)) release();
  }

  /** Something that the client is told, not asked. */
  tell(message: Outgoing): void {
    const send = () => void this.#client.send(message);
    if (this.#isReady) send();
    else this.#hold({ bytes: typeof message === 'string' ? message.length : message.bytes, release: send });
  }

  /** What the client cannot do is answered for it. `related` is the request that the question belongs to. */
  ask(upstream: Upstream, message: Incoming, frame: Frame, related?: Forward) {
    const idText = idTextOf(message, frame);
    const refuse = (error: AppError) => upstream.answer(errorText(idText, toJsonRpcError(error)));
    if (!this.#isReady) {
      const release = () => this.ask(upstream, message, frame, related);
      if (!this.#hold({ upstream, idText, bytes: frameLength(frame), release }))
        refuse(new AppError('BUSY', 'The client is not ready yet.'));
      return;
    }
    const refusal = whyNotAsked(message, this.#client.capabilities()) ?? this.#whyTooMany(upstream);
    if (refusal !== undefined) return refuse(refusal);
    const { waiting } = this.#client;
    const id = waiting.nextId();
    const asked = new Asked({ upstream, idText, message, frame, id, relatedId: related?.idText });
    const question = asked.write(frame);
    if (question === undefined) return refuse(new AppError('INVALID_REQUEST', 'This request cannot be passed on.'));
    waiting.add(id, asked, ASKED_TIMEOUT_MS);
    if (!this.#client.send(question)) {
      waiting.take(id);
      refuse(new AppError('INVALID_REQUEST', 'This request is nested too deep for the client.'));
    }
  }

  isAskedBy(upstream: Upstream): boolean {
    return this.#open().some((asked) => asked.upstream === upstream);
  }

  /** The upstream no longer wants to know, or is gone: the client need not answer. */
  withdraw(upstream: Upstream, idText?: string, reason = 'The server no longer waits for an answer.'): void {
    const isMeant = (question: Pick<Held, 'upstream' | 'idText'>) =>
      question.upstream === upstream && (idText === undefined || question.idText === idText);
    this.#held = this.#held.filter((held) => !isMeant(held));
    for (const asked of this.#open()) {
      if (!isMeant(asked)) continue;
      this.#client.waiting.take(asked.id);
      this.#cancel(asked.id, reason);
    }
  }

  expired(id: number, asked: Asked): void {
    asked.fail(new AppError('TIMED_OUT', `The client did not answer ${asked.method}.`));
    this.#cancel(id, 'timed out');
  }

  #hold(held: Held): boolean {
    const bytes = this.#held.reduce((sum, other) => sum + other.bytes, held.bytes);
    if (this.#held.length >= MAX_HELD || bytes > MAX_HELD_BYTES) return false;
    this.#held.push(held);
    return true;
  }

  #whyTooMany(upstream: Upstream): AppError | undefined {
    const open = this.#open().filter((asked) => asked.upstream === upstream).length;
    return open < MAX_OPEN ? undefined : new AppError('BUSY', `The client has ${open} questions of yours to answer.`);
  }

  #cancel(requestId: number, reason: string): void {
    this.#client.send(notificationText('notifications/cancelled', { requestId, reason }));
  }

  #open(): Asked[] {
    return this.#client.waiting.all() as Asked[];
  }
}
