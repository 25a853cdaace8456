import { AppError } from '../base/errors.ts';
import { toJsonRpcError } from '../base/translate.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { receiveBatch } from '../wire/batch.ts';
import { type Frame, frameBytes, frameText } from '../wire/frame.ts';
import { createLink, type Link } from '../wire/link.ts';
import { errorText, type Incoming, isObject, notificationText, type RequestId } from '../wire/messages.ts';
import { readCall } from '../wire/read-call.ts';
import { rawMember } from '../wire/scan.ts';
import type { Outgoing } from '../wire/splice.ts';
import { Asked } from './bridge/asked.ts';
import { whyNotAsked } from './bridge/capabilities.ts';
import type { ErrorStyle } from './errors.ts';
import type { Forward, Reply } from './forward.ts';
import type { Routing } from './routing.ts';
import type { UnderWay } from './under-way.ts';

export interface ClientOptions {
  /** Must not throw. */
  readonly send: (message: Outgoing) => void;
  readonly routing: Routing;
  readonly errorStyle: ErrorStyle;
}

/** Requests of upstreams that may wait for the client to be ready. */
const MAX_HELD = 256;
const MAX_UNDER_WAY = 10_000;
/** Several servers that become ready one after the other are one change. */
const CHANGES_TOGETHER_MS = 50;
/** A person may have to think about it. */
const ASKED_TIMEOUT_MS = 3_600_000;

interface Question {
  readonly upstream?: Upstream;
  /** The upstream's id, as JSON text. */
  readonly idText?: string;
}

/** Waits for the client to be ready: a question, or something that it is told. */
interface Held extends Question {
  readonly release: () => void;
}

/** Everything that is known of one client: what it can, what it asked, what it was asked. Nowhere else is any of it. */
export class Client {
  readonly #options: ClientOptions;
  readonly #link: Link;
  readonly #underWay = new Map<string, UnderWay>();
  /** The lists that it has read, with the version of each. */
  readonly #listed = new Map<string, number>();
  readonly #changing = new Set<string>();
  #held: Held[] = [];
  #isInitialized = false;
  #isClosed = false;
  /** What it declared in `initialize`; undefined before. */
  capabilities: Readonly<Record<string, unknown>> | undefined;
  /** Whether it is Codex, and which. */
  name = '';
  logLevel: string | undefined;
  /** By the URI that the client used. */
  readonly subscriptions = new Map<string, { readonly upstream: Upstream; readonly uri: string }>();
  errorStyle: ErrorStyle;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.errorStyle = options.errorStyle;
    this.#link = createLink({
      request: (message, frame) => this.#request(message, frame, this.#send),
      notification: (message, frame) => this.#notification(message, frame),
      unreadable: (error, frame) => this.complain(error, frame),
      batch: (messages, text) => this.#batch(messages, text),
      expired: (id, who) => this.#askedExpired(id, who as Asked),
    });
  }

  get isInitialized(): boolean {
    return this.#isInitialized;
  }

  get isBusy(): boolean {
    return this.#underWay.size > 0;
  }

  /** Takes one message. Calls of tools are most of them, and take the short way. Never throws. */
  receive(frame: Frame) {
    if (this.#isClosed) return;
    const call = readCall(frame);
    if (call === undefined) return this.#link.receive(frame);
    if (this.#isFlooding(call.idText, this.#send)) return;
    this.#options.routing.call(this, call, this.#send);
  }

  /** A request that somebody answered before we were there: it takes effect, and nothing more is said. */
  receiveAnswered(frame: Frame): void {
    const message: unknown = JSON.parse(frameText(frame));
    if (isObject(message)) this.#request(message, frame, () => undefined);
  }

  send(message: Outgoing): void {
    if (!this.#isClosed) this.#options.send(message);
  }

  /** What concerns no request of the client waits for it to be ready. */
  sendWhenReady(message: Outgoing) {
    if (this.#isInitialized) return this.send(message);
    if (this.#held.length < MAX_HELD) this.#held.push({ release: () => this.send(message) });
  }

  notify(method: string, params?: unknown): void {
    if (this.#isInitialized) this.send(notificationText(method, params));
  }

  /** It has read this version of a list, and would not know that it is no longer true. */
  hasListed(kind: string, version: number): void {
    this.#listed.set(kind, version);
  }

  /** A list may have changed. Told once, a little later, and again only after the client has read the list again. */
  listChanged(kind: string, notification: string, version: () => number): void {
    const seen = this.#listed.get(kind);
    if (seen === undefined || this.#changing.has(kind)) return;
    this.#changing.add(kind);
    setTimeout(() => {
      this.#changing.delete(kind);
      if (version() === this.#listed.get(kind)) return;
      this.#listed.delete(kind);
      this.notify(notification);
    }, CHANGES_TOGETHER_MS).unref();
  }

  /** It said something that is no message. */
  complain(error: AppError, frame: Frame = []): void {
    this.send(errorText(idOfBroken(frame), toJsonRpcError(error)));
  }

  /** A request of this client is passed on; it can be cancelled by its id from now on. */
  begin(forward: Forward): void {
    this.#underWay.set(forward.idText, forward);
    forward.upstream.call(forward);
  }

  /** A request of this client takes its time before it is passed on, or is never passed on at all. */
  started(request: UnderWay) {
    this.#underWay.set(request.idText, request);
  }

  finished(request: UnderWay) {
    // A client that uses an id twice owns the newer request; the older one is answered all the same.
    if (this.#underWay.get(request.idText) === request) this.#underWay.delete(request.idText);
  }

  isCalling(upstream: Upstream): boolean {
    for (const request of this.#underWay.values()) if (request.upstream === upstream) return true;
    return false;
  }

  isAskedBy(upstream: Upstream): boolean {
    return this.#asked().some((asked) => asked.upstream === upstream);
  }

  /** An upstream asks this client. What it cannot do is answered for it; before it is ready, the question waits. */
  ask(upstream: Upstream, message: Incoming, frame: Frame, related?: Forward) {
    const idText = idTextOf(message, frame);
    const refuse = (error: AppError) => upstream.answer(errorText(idText, toJsonRpcError(error)));
    if (!this.#isInitialized) {
      if (this.#held.length >= MAX_HELD) return refuse(new AppError('BUSY', 'The client is not ready yet.'));
      this.#held.push({ upstream, idText, release: () => this.ask(upstream, message, frame) });
      return;
    }
    const refusal = whyNotAsked(message, this.capabilities);
    if (refusal !== undefined) return refuse(refusal);
    const id = this.#link.waiting.nextId();
    const asked = new Asked({ upstream, idText, message, frame, id, relatedId: related?.idText });
    const question = asked.write();
    if (question === undefined) return refuse(new AppError('INVALID_REQUEST', 'This request cannot be passed on.'));
    this.#link.waiting.add(id, asked, ASKED_TIMEOUT_MS);
    this.send(question);
  }

  /** The upstream no longer wants to know, or is gone: the client need not answer. */
  withdraw(upstream: Upstream, idText?: string, reason = 'The server no longer waits for an answer.'): void {
    const isMeant = (question: Question) =>
      question.upstream === upstream && (idText === undefined || question.idText === idText);
    this.#held = this.#held.filter((held) => !isMeant(held));
    for (const asked of this.#asked()) {
      if (!isMeant(asked)) continue;
      this.#link.waiting.take(asked.id);
      this.send(notificationText('notifications/cancelled', { requestId: asked.id, reason }));
    }
  }

  /** Nobody listens any more: what it asked for is cancelled, what it was asked is refused. */
  close(reason: AppError) {
    if (this.#isClosed) return;
    for (const request of [...this.#underWay.values()]) request.abandon(reason);
    this.#link.waiting.failAll(() => reason);
    this.#isClosed = true;
  }

  readonly #send: Reply = (answer) => {
    if (answer !== undefined) this.send(answer);
  };

  #request(message: Incoming, frame: Frame, reply: Reply) {
    const idText = idTextOf(message, frame);
    if (this.#isFlooding(idText, reply)) return;
    const { routing } = this.#options;
    try {
      routing.request(this, { message, frame, idText, method: String(message.method), reply });
    } catch (error) {
      reply(errorText(idText, toJsonRpcError(error)));
    }
  }

  #notification(message: Incoming, frame: Frame) {
    switch (message.method) {
      case 'notifications/initialized':
        return this.#initialized();
      case 'notifications/cancelled':
        return this.#cancelled(message, frame);
      case 'notifications/progress':
        return this.#link.waiting.progress(message.params, frame);
    }
    this.#options.routing.notification(this, message, frame);
  }

  #initialized(): void {
    this.#isInitialized = true;
    const held = this.#held;
    this.#held = [];
    for (const { release } of held) release();
  }

  #cancelled({ params }: Incoming, frame: Frame): void {
    const requestId = rawMember(Buffer.from(rawMember(frameBytes(frame), 'params') ?? '{}'), 'requestId');
    const reason = isObject(params) && typeof params['reason'] === 'string' ? params['reason'] : 'cancelled';
    if (requestId !== undefined) this.#underWay.get(requestId)?.cancel(reason);
  }

  #batch(messages: readonly unknown[], text: string): void {
    receiveBatch(messages, text, {
      reply: (answer) => this.#send(answer),
      dispatch: (message, raw, reply) => {
        const frame = [raw()];
        const textReply: Reply = (answer) => reply(answer === undefined ? undefined : outgoingText(answer));
        if (isObject(message) && typeof message['method'] === 'string' && isId(message['id'])) {
          return this.#request(message, frame, textReply);
        }
        this.#link.dispatch(message, frame);
        reply(undefined);
      },
    });
  }

  #isFlooding(idText: string, reply: Reply): boolean {
    if (this.#underWay.size < MAX_UNDER_WAY) return false;
    reply(errorText(idText, toJsonRpcError(new AppError('BUSY', 'Too many requests are under way.'))));
    return true;
  }

  #askedExpired(id: number, asked: Asked): void {
    asked.fail(new AppError('TIMED_OUT', `The client did not answer ${asked.method}.`));
    this.send(notificationText('notifications/cancelled', { requestId: id, reason: 'timed out' }));
  }

  #asked(): Asked[] {
    return this.#link.waiting.all() as Asked[];
  }
}

function isId(id: unknown): id is RequestId {
  return typeof id === 'string' || typeof id === 'number';
}

/** The id exactly as it came, so that the answer carries the same. */
function idTextOf({ id }: Incoming, frame: Frame): string {
  if (typeof id === 'number' && Number.isSafeInteger(id) && !Object.is(id, -0)) return String(id);
  return rawMember(frameBytes(frame), 'id') ?? JSON.stringify(id) ?? 'null';
}

function idOfBroken(frame: Frame): string {
  const raw = rawMember(frameBytes(frame), 'id') ?? 'null';
  return /^["\-\d]/.test(raw) ? raw : 'null';
}

function outgoingText(message: Outgoing): string {
  if (typeof message === 'string') return message;
  return Buffer.concat(
    message.pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)),
  ).toString();
}
