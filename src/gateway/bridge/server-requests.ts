import { toJsonRpcError } from '../../base/error-translation.ts';
import { AppError } from '../../base/errors.ts';
import { setBounded } from '../../base/set-bounded.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { type Frame, frameLength } from '../../wire/frame.ts';
import type { OutgoingMessage } from '../../wire/json/splice.ts';
import { errorText, isObject, type JsonRpcMessage, notificationText } from '../../wire/messages.ts';
import { idTextOf } from '../../wire/relay/id-text.ts';
import type { PendingRequests } from '../../wire/rpc/pending-requests.ts';
import type { UnansweredRequest } from '../client/unanswered-request.ts';
import type { ForwardedRequest } from '../routing/forwarded-request.ts';
import { missingCapability } from './capabilities.ts';
import { ForwardedServerRequest } from './forwarded-server-request.ts';

/** The parts of a client that server requests need. */
export interface ClientChannel {
  /** Requests that this client has not answered yet. */
  readonly pending: PendingRequests<ForwardedServerRequest>;
  capabilities(): unknown;
  /** Returns whether a server request can be sent, on the exchange of `carrier` if given. */
  isReachable(carrier: UnansweredRequest | undefined): boolean;
  /**
   * Sends a message, on the exchange of `carrier` while that is unanswered. False if the client could not parse it; it is
   * then not sent.
   */
  send(message: OutgoingMessage, carrier: UnansweredRequest | undefined): boolean;
}

/** The maximum number of requests and notifications queued until the client is initialized. */
const MAX_QUEUED = 256;
const MAX_QUEUED_BYTES = 16 * 1024 * 1024;
/** The maximum number of elicitations whose completion a client can be notified of. */
const MAX_ELICITATIONS = 256;
/** The maximum number of pending requests of one upstream. */
const MAX_PENDING_PER_SERVER = 256;
/** Long, because a person may have to answer. */
const CLIENT_TIMEOUT_MS = 3_600_000;

/** The client request that a server request belongs to. */
export interface RequestOrigin {
  /** The request that the server names. Undefined if it names none. */
  readonly related?: ForwardedRequest | undefined;
  /** The request on whose exchange the server request is sent. Default: the related one. */
  readonly carrier?: UnansweredRequest | undefined;
}

interface Queued {
  readonly upstream?: Upstream;
  /** The upstream's id of the request, as JSON text. Undefined for a notification. */
  readonly idText?: string;
  readonly bytes: number;
  readonly release: () => void;
  /** Rejects a request that can no longer be sent. */
  readonly reject?: (error: AppError) => void;
}

export class ServerRequests {
  readonly #client: ClientChannel;
  #queued: Queued[] = [];
  #isReady = false;
  /** The servers of elicitations that this client was sent, by elicitation id, oldest first. */
  readonly #elicitations = new Map<string, Upstream>();

  constructor(client: ClientChannel) {
    this.#client = client;
  }

  /** Sends everything that was queued until the client sent `notifications/initialized`. */
  clientReady(): void {
    this.#isReady = true;
    for (const { release } of this.#queued.splice(0)) release();
  }

  /**
   * Sends a notification, or queues it until the client is initialized. It goes to the exchange of `carrier` while that
   * is unanswered.
   */
  notify(message: OutgoingMessage, carrier?: UnansweredRequest): void {
    const send = () => void this.#client.send(message, carrier);
    if (this.#isReady) send();
    else this.#enqueue({ bytes: typeof message === 'string' ? message.length : message.bytes, release: send });
  }

  /** Forwards a server request, or rejects it if the client lacks the capability. */
  forward(upstream: Upstream, message: JsonRpcMessage, frame: Frame, { related, carrier = related }: RequestOrigin) {
    const idText = idTextOf(message, frame);
    const reject = (error: AppError) => upstream.respond(errorText(idText, toJsonRpcError(error)));
    if (!this.#isReady) {
      const release = () => this.forward(upstream, message, frame, { related, carrier });
      if (!this.#enqueue({ upstream, idText, bytes: frameLength(frame), release, reject }))
        reject(new AppError('BUSY', 'The client is not ready yet.'));
      return;
    }
    if (!this.#client.isReachable(carrier)) return reject(unknownRequest(message));
    const rejection = missingCapability(message, this.#client.capabilities()) ?? this.#limitError(upstream);
    if (rejection !== undefined) return reject(rejection);
    const { pending } = this.#client;
    const id = pending.nextId();
    const relatedId = related?.idText;
    const request = new ForwardedServerRequest({ upstream, idText, message, frame, id, relatedId, carrier });
    const outgoing = request.write(frame);
    if (outgoing === undefined) return reject(new AppError('INVALID_REQUEST', 'This request cannot be forwarded.'));
    pending.add(id, request, CLIENT_TIMEOUT_MS);
    this.recordElicitation(upstream, message.params);
    if (!this.#client.send(outgoing, carrier)) {
      pending.take(id);
      reject(new AppError('INVALID_REQUEST', 'This request is nested too deeply for the client.'));
    }
  }

  /** Records that this client knows an elicitation by its id, so that it is notified of its completion. */
  recordElicitation(upstream: Upstream, elicitation: unknown): void {
    const id = isObject(elicitation) ? elicitation['elicitationId'] : undefined;
    if (typeof id === 'string') setBounded(this.#elicitations, id, upstream, MAX_ELICITATIONS);
  }

  knowsElicitation(upstream: Upstream, id: unknown): boolean {
    return typeof id === 'string' && this.#elicitations.get(id) === upstream;
  }

  /** Returns the id of the upstream for a request that this client has not answered, as JSON text. */
  upstreamIdOf(id: unknown): string | undefined {
    return this.#client.pending.find(id)?.idText;
  }

  /** Rejects the requests that the client has not been sent yet, because it has left. */
  close(reason: AppError): void {
    for (const { reject } of this.#queued.splice(0)) reject?.(reason);
  }

  hasPendingFrom(upstream: Upstream): boolean {
    return this.#pending().some((request) => request.upstream === upstream);
  }

  /** Cancels one request of the upstream, or all of them if `idText` is undefined, for example after a disconnect. */
  cancel(upstream: Upstream, idText?: string, reason = 'The server no longer waits for a response.'): void {
    const matchesTarget = (candidate: Pick<Queued, 'upstream' | 'idText'>) =>
      candidate.upstream === upstream && (idText === undefined || candidate.idText === idText);
    this.#queued = this.#queued.filter((queued) => !matchesTarget(queued));
    for (const request of this.#pending()) {
      if (!matchesTarget(request)) continue;
      this.#client.pending.take(request.id);
      this.#notifyCancelled(request, reason);
    }
  }

  expired(request: ForwardedServerRequest): void {
    request.fail(new AppError('TIMED_OUT', `The client did not answer ${request.method}.`));
    this.#notifyCancelled(request, 'timed out');
  }

  #enqueue(queued: Queued): boolean {
    const bytes = this.#queued.reduce((sum, other) => sum + other.bytes, queued.bytes);
    if (this.#queued.length >= MAX_QUEUED || bytes > MAX_QUEUED_BYTES) return false;
    this.#queued.push(queued);
    return true;
  }

  #limitError(upstream: Upstream): AppError | undefined {
    const count = this.#pending().filter((request) => request.upstream === upstream).length;
    return count < MAX_PENDING_PER_SERVER
      ? undefined
      : new AppError('BUSY', `The client already has ${count} pending requests from this server.`);
  }

  #notifyCancelled({ id: requestId, carrier }: ForwardedServerRequest, reason: string): void {
    this.#client.send(notificationText('notifications/cancelled', { requestId, reason }), carrier);
  }

  #pending(): ForwardedServerRequest[] {
    return this.#client.pending.all();
  }
}

function unknownRequest({ method }: JsonRpcMessage): AppError {
  return new AppError('METHOD_NOT_FOUND', `${method}: cannot determine which request of the client this belongs to.`);
}
