import { AppError } from '../../base/errors.ts';
import { RawJson } from '../../wire/messages.ts';
import type { IncomingRequest } from '../../wire/rpc/incoming-requests.ts';
import { CLIENT_TIMEOUT_MS } from '../client-capabilities.ts';
import type { CallLink } from '../context.ts';
import { answerFeature, isFeatureRequest } from '../features.ts';
import { initializeResult } from '../initialize-result.ts';
import { isLogLevel, type LogLevel, readLogLevel } from '../log-levels.ts';
import { requireUri } from '../resources/resource-uri.ts';
import type { Connection, ServedClient } from '../served-client.ts';
import type { Server } from '../server.ts';
import { callTool } from '../tools/tool-call.ts';
import type { Era } from './era.ts';
import type { InputRequestOptions } from './input-request.ts';
import { supportsResourceLinks, withoutResourceLinks } from './resource-links.ts';
import { checkSubscriptionLimits } from './subscription-limits.ts';

export interface LegacyEra extends Era {
  notification(method: string): void;
  /** Continues a connection of an earlier process, which was initialized with these params. */
  restore(initializeParams: unknown, settings: LegacySettings): void;
}

/** The changes that a client made to its connection. */
export interface LegacySettings {
  readonly logLevel?: string | undefined;
  readonly subscriptions: readonly string[];
}

/** Creates the era of MCP 2024-11-05 to 2025-11-25: `initialize` opens a stateful connection. */
export function createLegacyEra(
  server: Server,
  connection: Connection,
  onSettings?: (settings: LegacySettings) => void,
): LegacyEra {
  const state: LegacyState = { connection, logLevel: 'info', subscribed: new Set(), hasLinks: true };
  const { link } = connection;
  let isInitialized = false;

  return {
    request(request) {
      switch (request.method) {
        case 'tools/call':
          return callLegacy(server, state, request);
        case 'tools/list':
          return new RawJson(`{${server.catalog.listJson()}}`);
        case 'initialize':
          return initialize(server, state, request.params);
        case 'ping':
          return {};
        case 'logging/setLevel':
          state.logLevel = readLogLevel(request.params);
          onSettings?.(settingsOf(state));
          return {};
      }
      const { method } = request;
      if (!isFeatureRequest(server, method)) throw new AppError('METHOD_NOT_FOUND', `Method not found: ${method}`);
      if (method !== 'resources/subscribe' && method !== 'resources/unsubscribe')
        return answerFeature(server, new LegacyCall(request, state));
      changeSubscription(state, request);
      onSettings?.(settingsOf(state));
      return {};
    },
    notification(method) {
      // Clients of Codex's own server send it without the prefix.
      if (method === 'notifications/initialized' || method === 'initialized') isInitialized = true;
    },
    restore(initializeParams, settings) {
      initialize(server, state, initializeParams);
      isInitialized = true;
      if (isLogLevel(settings.logLevel)) state.logLevel = settings.logLevel;
      for (const uri of settings.subscriptions) state.subscribed.add(uri);
    },
    toolsChanged() {
      if (isInitialized) link.notify('notifications/tools/list_changed');
    },
    promptsChanged() {
      if (isInitialized) link.notify('notifications/prompts/list_changed');
    },
    resourcesChanged() {
      if (isInitialized) link.notify('notifications/resources/list_changed');
    },
    resourceUpdated(uri) {
      if (state.subscribed.has(uri)) link.notify('notifications/resources/updated', { uri });
    },
  };
}

interface LegacyState {
  readonly connection: Connection;
  /** The URIs that the client is subscribed to. */
  readonly subscribed: Set<string>;
  logLevel: LogLevel;
  /** Whether results may contain resource links. */
  hasLinks: boolean;
}

function settingsOf({ logLevel, subscribed }: LegacyState): LegacySettings {
  return { logLevel, subscriptions: [...subscribed] };
}

function callLegacy(server: Server, state: LegacyState, request: IncomingRequest): RawJson | Promise<RawJson> {
  const result = callTool(server, new LegacyCall(request, state));
  if (state.hasLinks) return result;
  return result instanceof RawJson ? withoutResourceLinks(result) : result.then(withoutResourceLinks);
}

function initialize(server: Server, state: LegacyState, params: unknown): unknown {
  state.connection.initialized(params);
  const answer = initializeResult(server, params);
  state.hasLinks = supportsResourceLinks(String(answer['protocolVersion']));
  return answer;
}

function changeSubscription({ subscribed }: LegacyState, { method, params }: IncomingRequest): void {
  const uri = requireUri(method, params);
  if (method === 'resources/unsubscribe') {
    subscribed.delete(uri);
    return;
  }
  checkSubscriptionLimits([uri], subscribed.has(uri) ? subscribed.size : subscribed.size + 1);
  subscribed.add(uri);
}

class LegacyCall implements CallLink {
  readonly era = 'legacy';
  readonly request: IncomingRequest;
  readonly #state: LegacyState;

  constructor(request: IncomingRequest, state: LegacyState) {
    this.request = request;
    this.#state = state;
  }

  get signal(): AbortSignal {
    return this.request.signal;
  }

  get client(): ServedClient {
    return this.#state.connection.client;
  }

  get logLevel(): LogLevel {
    return this.#state.logLevel;
  }

  notify(method: string, params: unknown): void {
    this.#state.connection.link.notify(method, params, this.request.exchange);
  }

  get capabilities(): unknown {
    return this.#state.connection.capabilities;
  }

  requestClient(
    method: string,
    params: Readonly<Record<string, unknown>>,
    { timeoutMs = CLIENT_TIMEOUT_MS, signal }: InputRequestOptions = {},
  ): Promise<unknown> {
    const ends = signal === undefined ? this.signal : AbortSignal.any([this.signal, signal]);
    const { exchange } = this.request;
    return this.#state.connection.link.request(method, params, { timeoutMs, signal: ends, exchange });
  }
}
