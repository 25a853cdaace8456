import { sha256 } from '../../base/digest.ts';
import { toJsonRpcError } from '../../base/error-translation.ts';
import { AppError } from '../../base/errors.ts';
import { SlotSet } from '../../base/slot-set.ts';
import { tryParseJson } from '../../base/text/is-json.ts';
import { checkEnvelope } from '../../serve/eras/envelope.ts';
import { isLogLevel, LOG_LEVELS, type LogLevel } from '../../serve/log-levels.ts';
import { LIST_KINDS, LIST_METHODS, type ListKind } from '../../upstream/catalog/listing.ts';
import { inputKeyOf } from '../../upstream/transports/modern/input-id.ts';
import { CAPABILITIES_KEY, CLIENT_INFO_KEY, LOG_LEVEL_KEY } from '../../wire/envelope-keys.ts';
import { type Frame, frameText } from '../../wire/frame.ts';
import { scanMembers } from '../../wire/json/scan.ts';
import { type OutgoingMessage, outgoingText } from '../../wire/json/splice.ts';
import { errorText, isObject, notificationText, requestText, resultText } from '../../wire/messages.ts';
import { MODERN_VERSION, NEWEST_LEGACY_VERSION } from '../../wire/protocol-versions.ts';
import type { RequestParts } from '../../wire/relay/read-common-request.ts';
import type { Exchange } from '../../wire/rpc/exchange.ts';
import type { Client } from '../client/client.ts';
import { TASKS_EXTENSION } from '../extensions/task-messages.ts';
import type { HeldRequests } from './held-requests.ts';
import { createListenStreams, type ListenStreams } from './listen-streams.ts';
import {
  MAY_REQUIRE_INPUT,
  ModernExchange,
  type ModernExchangeOwner,
  type Round,
  withMember,
} from './modern-exchange.ts';
import { toModernResponse } from './modern-response.ts';
import { type ModernRequest, splitEnvelope } from './split-envelope.ts';

export interface ModernClientOptions {
  /** The client as the gateway knows it. It speaks the legacy era. */
  readonly client: Client;
  /** The token of the client. Answers to input requests are accepted only from the same one. */
  readonly owner: string;
  readonly held: HeldRequests<ModernExchange>;
  /** Whether several programs may use this client, so that ids may be equal. Only their requests are accepted then. */
  readonly isShared: boolean;
  /** Whether the client needed a token, so that caches must not share its results with others. */
  readonly isPrivate: boolean;
}

/**
 * Presents a modern client as a legacy one, so that routing and bridging need not handle eras. Removes the envelope from
 * each request, initializes the client on its behalf, and turns server requests into required input.
 * https://modelcontextprotocol.io/specification/2026-07-28
 */
export class ModernClient {
  readonly #client: Client;
  readonly #options: ModernClientOptions;
  readonly #owner: ModernExchangeOwner;
  readonly #streams: ListenStreams;
  readonly #open = new SlotSet<ModernExchange>();
  /** The `_meta` of the last request, as JSON text and parsed. Most requests of a client have the same. */
  #metaText = '';
  #meta: Readonly<Record<string, unknown>> = {};
  /** The same `_meta` without the envelope. */
  #legacyMeta = '{}';
  /** The description of the client that the gateway knows, as JSON text. */
  #introduced: string | undefined;
  /** The last `_meta` with this description. */
  #introducedMeta: Readonly<Record<string, unknown>> | undefined;
  #serverInfo: string | undefined;

  constructor(options: ModernClientOptions) {
    const { client, held, owner } = options;
    this.#options = options;
    this.#client = client;
    client.needsCarrier = true;
    if (options.isShared) client.taskOwner = `token ${owner}`;
    client.lists.followAll();
    this.#owner = {
      toModern: (response, idText, method) => this.#toModern(response, idText, method),
      inputKeyOf: (id) => inputKeyOf(JSON.parse(client.serverRequests.upstreamIdOf(JSON.parse(id)) ?? 'null')),
      answerServerRequest: (response) => client.receive([Buffer.from(response)], NOWHERE),
      hold: (exchange) => held.hold(exchange, { owner, digest: exchange.digest() }),
      forget: held.forget,
      cancel: (exchange) => client.abandon(exchange),
      closed: (exchange) => this.#open.delete(exchange),
    };
    this.#streams = createListenStreams({
      addUnanswered: (request) => client.addUnanswered(request),
      removeUnanswered: (request) => client.removeUnanswered(request),
      subscribe: (uri) =>
        new Promise((resolve) => {
          const respond = (response?: OutgoingMessage) => resolve(resultOf(response) !== undefined);
          this.#request('resources/subscribe', { uri }, { send() {}, respond });
        }),
      checkTasks() {
        if (!client.mayGetTasks) throw tasksNotDeclared();
      },
      unsubscribe: (uri) => this.#request('resources/unsubscribe', { uri }, NOWHERE),
      respond: (exchange, idText, response) =>
        exchange.respond(this.#toModern(response, idText, 'subscriptions/listen')),
    });
  }

  /** Whether requests are running or suspended. Streams of changes do not count: they run until the client ends them. */
  get isBusy(): boolean {
    return this.#client.unansweredCount > this.#streams.size;
  }

  /** Handles one message, of which `parts` are known if it has been read already. Never throws. */
  receive(frame: Frame, exchange: Exchange, parts?: RequestParts) {
    const request = splitEnvelope(frame, parts);
    if (request === undefined) return this.#receiveOther(frame, exchange);
    try {
      this.#handle(request, exchange);
    } catch (error) {
      exchange.respond(errorText(request.idText, toJsonRpcError(error)));
    }
  }

  /** Delivers a message of the gateway that relates to no request. */
  deliver(message: OutgoingMessage): void {
    if (this.#streams.size > 0) this.#streams.notify(JSON.parse(outgoingText(message)));
  }

  /** Cancels the request of an exchange that the client has closed. */
  abandon(exchange: Exchange) {
    for (const open of this.#open) if (open.isRoundOf(exchange)) return this.#client.abandon(open);
    this.#client.abandon(exchange);
  }

  /** Handles a notification, a response, or something that is no message at all. */
  #receiveOther(frame: Frame, exchange: Exchange) {
    if (this.#options.isShared && isWithoutResponse(tryParseJson(frameText(frame)))) return exchange.respond(undefined);
    this.#client.receive(frame, exchange);
  }

  #handle(request: ModernRequest, exchange: Exchange) {
    const meta = this.#readMeta(request);
    checkEnvelope({ _meta: meta });
    const { idText, method } = request;
    if (method === 'server/discover') return this.#discover(idText, exchange);
    if (REMOVED.has(method)) throw new AppError('METHOD_NOT_FOUND', `Method not found: ${method}`);
    this.#introduce();
    if (method === 'subscriptions/listen') {
      const notifications: unknown = JSON.parse(request.param('notifications') ?? '{}');
      return this.#streams.listen({ exchange, idText, params: { notifications } });
    }
    const logLevel = isLogLevel(meta[LOG_LEVEL_KEY]) ? meta[LOG_LEVEL_KEY] : undefined;
    if (logLevel !== undefined) this.#ensureLogLevel(logLevel);
    const progressToken = toText(meta['progressToken']);
    const round: Round = { exchange, idText, progressToken, logLevel };
    if (MAY_REQUIRE_INPUT.has(method) && this.#resume(request, round)) return;
    const modernExchange = new ModernExchange(this.#owner, { method, digest: () => digestOf(request) }, round);
    this.#open.add(modernExchange);
    this.#client.receive(request.withMeta(this.#legacyMeta), modernExchange);
  }

  #readMeta({ metaText: text, legacyMeta }: ModernRequest): Readonly<Record<string, unknown>> {
    if (text !== this.#metaText) {
      const parsed: unknown = JSON.parse(text);
      this.#metaText = text.length <= MAX_KEPT_META_CHARS ? text : '';
      this.#meta = isObject(parsed) ? parsed : {};
      this.#legacyMeta = legacyMeta();
    }
    return this.#meta;
  }

  /** Returns false if the request has no `requestState`. Input responses without a state are for the server. */
  #resume(request: ModernRequest, round: Round): boolean {
    const state = request.param('requestState');
    const answers = request.param('inputResponses');
    if (state === undefined && answers === undefined) return false;
    const bytes = Buffer.from(answers ?? '{}');
    const members = scanMembers(bytes);
    if (members === undefined) throw new AppError('INVALID_PARAMS', 'inputResponses must contain the answers by key.');
    if (state === undefined) return false;
    const { held, owner } = this.#options;
    const exchange = held.take(JSON.parse(state), { owner, digest: digestOf(request) });
    exchange.resume(round, new Map(members.map(({ key, start, end }) => [key, bytes.toString('utf8', start, end)])));
    return true;
  }

  /** Initializes the client on its behalf with the first request, and again if it has changed. */
  #introduce(): void {
    if (this.#introducedMeta === this.#meta) return;
    if (JSON.stringify(this.#description()) !== this.#introduced) this.#initialize(() => {});
    this.#introducedMeta = this.#meta;
  }

  #initialize(respond: Exchange['respond']): void {
    const description = this.#description();
    this.#introduced = JSON.stringify(description);
    const params = { protocolVersion: NEWEST_LEGACY_VERSION, ...description };
    this.#request('initialize', params, {
      send() {},
      respond: (response) => {
        this.#serverInfo = toText(resultOf(response)?.['serverInfo']) ?? this.#serverInfo;
        respond(response);
      },
    });
    this.#client.receive([Buffer.from(notificationText('notifications/initialized', undefined))], NOWHERE);
  }

  /** What the last request says about the client. */
  #description(): Readonly<Record<string, unknown>> {
    return { capabilities: this.#meta[CAPABILITIES_KEY], clientInfo: this.#meta[CLIENT_INFO_KEY] };
  }

  #discover(idText: string, exchange: Exchange): void {
    this.#initialize((response) => {
      const result = resultOf(response);
      if (result === undefined) return exchange.respond(response && withMember(response, ['id'], idText));
      const { capabilities, instructions } = result;
      const discovered = { supportedVersions: [MODERN_VERSION], capabilities, instructions };
      exchange.respond(this.#toModern(resultText(idText, discovered), idText, 'server/discover'));
    });
  }

  /**
   * Makes servers log enough for this request. The level is never reduced, because other requests may be running; each
   * request gets only what it wants.
   */
  #ensureLogLevel(level: LogLevel): void {
    const current = this.#client.logLevel;
    if (isLogLevel(current) && LOG_LEVELS.indexOf(current) <= LOG_LEVELS.indexOf(level)) return;
    this.#request('logging/setLevel', { level }, NOWHERE);
  }

  #request(method: string, params: unknown, exchange: Exchange): void {
    this.#client.receive([Buffer.from(requestText(OWN_ID, method, params))], exchange);
  }

  #toModern(response: OutgoingMessage, idText: string, method: string): OutgoingMessage {
    const kind = KINDS.get(method);
    const cacheHints = kind && this.#client.cacheHints(kind);
    const { isPrivate } = this.#options;
    return toModernResponse(response, { idText, method, serverInfo: this.#serverInfo, cacheHints, isPrivate });
  }
}

/** A longer `_meta` is not kept but parsed for each request, so that idle clients need little memory. */
const MAX_KEPT_META_CHARS = 64 * 1024;

/** Methods of the legacy era that the modern era does not have. */
const REMOVED: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]);

const KINDS: ReadonlyMap<string, ListKind> = new Map(LIST_KINDS.map((kind) => [LIST_METHODS[kind], kind]));

/** Requests on behalf of the client have an exchange of their own, so their id need not be unique. */
const OWN_ID = 'switchboard';

const NOWHERE: Exchange = { send() {}, respond() {} };

/** Identifies a request for the retry: the same method, name and arguments. */
function digestOf({ method, param }: ModernRequest): string {
  const parts = ['name', 'uri', 'arguments'].map((name) => {
    const text = param(name);
    return text === undefined ? null : (JSON.parse(text) as unknown);
  });
  return sha256(JSON.stringify([method, ...parts]));
}

function tasksNotDeclared(): AppError {
  const requiredCapabilities = { extensions: { [TASKS_EXTENSION]: {} } };
  return new AppError('CAPABILITY_MISSING', `The client has not declared the extension ${TASKS_EXTENSION}.`, {
    data: { requiredCapabilities },
  });
}

function toText(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

function resultOf(response: OutgoingMessage | undefined): Readonly<Record<string, unknown>> | undefined {
  const message: unknown = response === undefined ? undefined : JSON.parse(outgoingText(response));
  return isObject(message) && isObject(message['result']) ? message['result'] : undefined;
}

/** Returns whether the message is a notification or a response, which get no response themselves. */
function isWithoutResponse(message: unknown): boolean {
  if (!isObject(message)) return false;
  const { id, method } = message;
  return typeof method === 'string' ? id === undefined : 'result' in message || 'error' in message;
}
