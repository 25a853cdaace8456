import { toJsonRpcError } from '../../base/error-translation.ts';
import { AppError } from '../../base/errors.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { type Frame, frameLength } from '../../wire/frame.ts';
import type { OutgoingMessage } from '../../wire/json/splice.ts';
import { errorText, type JsonRpcMessage, notificationText } from '../../wire/messages.ts';
import { idTextOf } from '../../wire/relay/id-text.ts';
import type { RelayedRequest } from '../../wire/relay/relay-peer.ts';
import type { PendingRequests } from '../../wire/rpc/pending-requests.ts';
import type { ForwardedRequest } from '../routing/forwarded-request.ts';
import { missingCapability } from './capabilities.ts';
import { ForwardedServerRequest } from './forwarded-server-request.ts';

/** What a question needs of the client that it is for. */
export interface ClientChannel {
  /** Who waits for answers of this client. */
  readonly waiting: PendingRequests<RelayedRequest>;
  capabilities(): unknown;
  /** False if the client could not parse the message; it is then not sent. */
  send(message: OutgoingMessage): boolean;
}

/** What upstreams ask one client. Before the client is ready, questions and news wait for it, so many of them. */
const MAX_QUEUED = 256;
const MAX_QUEUED_BYTES = 16 * 1024 * 1024;
/** Questions of one upstream that the client has not answered yet. */
const MAX_PENDING_PER_SERVER = 256;
/** A person may have to think about it. */
const CLIENT_TIMEOUT_MS = 3_600_000;

interface Queued {
  readonly upstream?: Upstream;
  /** The upstream's id of a question, as JSON text. */
  readonly idText?: string;
  readonly bytes: number;
  readonly release: () => void;
}

export class ServerRequests {
  readonly #client: ClientChannel;
  #held: Queued[] = [];
  #isReady = false;

  constructor(client: ClientChannel) {
    this.#client = client;
  }

  /** The client has said that it is ready. */
  release(): void {
    this.#isReady = true;
    for (const { release } of this.#held.splice(0)) release();
  }

  /** Something that the client is told, not asked. */
  tell(message: OutgoingMessage): void {
    const send = () => void this.#client.send(message);
    if (this.#isReady) send();
    else this.#hold({ bytes: typeof message === 'string' ? message.length : message.bytes, release: send });
  }

  /** What the client cannot do is answered for it. `related` is the request that the question belongs to. */
  ask(upstream: Upstream, message: JsonRpcMessage, frame: Frame, related?: ForwardedRequest) {
    const idText = idTextOf(message, frame);
    const reject = (error: AppError) => upstream.answer(errorText(idText, toJsonRpcError(error)));
    if (!this.#isReady) {
      const release = () => this.ask(upstream, message, frame, related);
      if (!this.#hold({ upstream, idText, bytes: frameLength(frame), release }))
        reject(new AppError('BUSY', 'The client is not ready yet.'));
      return;
    }
    const rejection = missingCapability(message, this.#client.capabilities()) ?? this.#whyTooMany(upstream);
    if (rejection !== undefined) return reject(rejection);
    const { waiting: pending } = this.#client;
    const id = pending.nextId();
    const request = new ForwardedServerRequest({ upstream, idText, message, frame, id, relatedId: related?.idText });
    const outgoing = request.write(frame);
    if (outgoing === undefined) return reject(new AppError('INVALID_REQUEST', 'This request cannot be passed on.'));
    pending.add(id, request, CLIENT_TIMEOUT_MS);
    if (!this.#client.send(outgoing)) {
      pending.take(id);
      reject(new AppError('INVALID_REQUEST', 'This request is nested too deep for the client.'));
    }
  }

  isAskedBy(upstream: Upstream): boolean {
    return this.#open().some((request) => request.upstream === upstream);
  }

  /** The upstream no longer wants to know, or is gone: the client need not answer. */
  withdraw(upstream: Upstream, idText?: string, reason = 'The server no longer waits for an answer.'): void {
    const isMeant = (candidate: Pick<Queued, 'upstream' | 'idText'>) =>
      candidate.upstream === upstream && (idText === undefined || candidate.idText === idText);
    this.#held = this.#held.filter((queued) => !isMeant(queued));
    for (const request of this.#open()) {
      if (!isMeant(request)) continue;
      this.#client.waiting.take(request.id);
      this.#cancel(request.id, reason);
    }
  }

  expired(id: number, request: ForwardedServerRequest): void {
    request.fail(new AppError('TIMED_OUT', `The client did not answer ${request.method}.`));
    this.#cancel(id, 'timed out');
  }

  #hold(queued: Queued): boolean {
    const bytes = this.#held.reduce((sum, other) => sum + other.bytes, queued.bytes);
    if (this.#held.length >= MAX_QUEUED || bytes > MAX_QUEUED_BYTES) return false;
    this.#held.push(queued);
    return true;
  }

  #whyTooMany(upstream: Upstream): AppError | undefined {
    const count = this.#open().filter((request) => request.upstream === upstream).length;
    return count < MAX_PENDING_PER_SERVER
      ? undefined
      : new AppError('BUSY', `The client has ${count} questions of yours to answer.`);
  }

  #cancel(requestId: number, reason: string): void {
    this.#client.send(notificationText('notifications/cancelled', { requestId, reason }));
  }

  #open(): ForwardedServerRequest[] {
    return this.#client.waiting.all() as ForwardedServerRequest[];
  }
}
