import { AppError } from '../../base/errors.ts';
import { CAPABILITIES_KEY, CLIENT_INFO_KEY, LOG_LEVEL_KEY, SERVER_INFO_KEY } from '../../wire/envelope-keys.ts';
import { isObject, RawJson } from '../../wire/messages.ts';
import { MODERN_VERSION } from '../../wire/protocol-versions.ts';
import type { IncomingRequest } from '../../wire/rpc/incoming-requests.ts';
import { type CallLink, metaOf } from '../context.ts';
import { answerFeature, isFeatureRequest } from '../features.ts';
import { capabilitiesOf, instructionsOf, serverInfo } from '../initialize-result.ts';
import { isLogLevel, type LogLevel } from '../log-levels.ts';
import { isNotFound } from '../resources/resource-uri.ts';
import type { Connection, ServedClient } from '../served-client.ts';
import type { Server } from '../server.ts';
import { callTool } from '../tools/tool-call.ts';
import { checkEnvelope } from './envelope.ts';
import type { Era } from './era.ts';
import { createHeldCalls, type HeldCall } from './held-call.ts';
import type { InputRequestOptions } from './input-request.ts';
import { createSubscriptions } from './subscriptions.ts';

export interface ModernEra extends Era {
  /** Ends the suspended calls and the streams of a client that has disconnected. */
  disconnect(reason: AppError): void;
  /** The open streams of `subscriptions/listen`. */
  readonly streamCount: number;
  /** The calls that wait for input from the client between two requests. */
  readonly heldCount: number;
}

/**
 * Creates the era of MCP 2026-07-28. It has no connection state: every request declares its client and capabilities in
 * its envelope.
 */
export function createModernEra(server: Server, connection: Connection): ModernEra {
  const held = createHeldCalls();
  const subscriptions = createSubscriptions(connection.link, server);
  const stamp = `"resultType":"complete","_meta":${JSON.stringify({ [SERVER_INFO_KEY]: serverInfo(server) })}`;

  /** Runs a request whose handler may ask the client for input. */
  const run = (request: IncomingRequest, handle: (call: ModernCall) => RawJson | Promise<RawJson>) => {
    const result = isRetry(request)
      ? held.resume(request)
      : held.begin(request, (heldCall) => handle(new ModernCall(heldCall, connection)));
    return result instanceof RawJson ? complete(result) : result.then(complete);
  };

  /** Marks a result without a type as complete. Keeps its own `_meta`. */
  const complete = (raw: RawJson): RawJson => {
    const { json } = raw;
    if (json.startsWith('{"resultType"')) return raw;
    if (!json.includes('"_meta"')) return new RawJson(json === '{}' ? `{${stamp}}` : `{${stamp},${json.slice(1)}`);
    const result = JSON.parse(json);
    const _meta = { [SERVER_INFO_KEY]: serverInfo(server), ...result._meta };
    return new RawJson(JSON.stringify({ resultType: 'complete', ...result, _meta }));
  };

  return {
    request(request) {
      checkEnvelope(request.params);
      connection.updateClientInfo(metaOf(request.params)[CLIENT_INFO_KEY]);
      switch (request.method) {
        case 'tools/call':
          return run(request, (call) => callTool(server, call));
        case 'tools/list':
          return new RawJson(`{${stamp},${CACHING},${server.catalog.listJson()}}`);
        case 'server/discover':
          return complete(uncached(discovery(server)));
        case 'subscriptions/listen':
          return subscriptions.listen(request).then(() => complete(new RawJson('{}')));
      }
      const { method } = request;
      if (!isFeatureRequest(server, method)) throw new AppError('METHOD_NOT_FOUND', `Method not found: ${method}`);
      const toJson = UNCACHED_METHODS.has(method) ? uncached : toRaw;
      return run(request, (call) => answerFeature(server, call).then(toJson, throwAsInvalidParams));
    },
    toolsChanged: subscriptions.toolsChanged,
    promptsChanged: subscriptions.promptsChanged,
    resourcesChanged: subscriptions.resourcesChanged,
    resourceUpdated: subscriptions.resourceUpdated,
    disconnect(reason) {
      held.close(reason);
      subscriptions.close();
    },
    get streamCount() {
      return subscriptions.count;
    },
    get heldCount() {
      return held.count;
    },
  };
}

/** Tools and resources may change at any time, so clients must not cache them. */
const CACHING = '"ttlMs":0,"cacheScope":"private"';

/** The methods whose results state how long they may be cached. */
const UNCACHED_METHODS = new Set(['prompts/list', 'resources/list', 'resources/templates/list', 'resources/read']);

function toRaw(result: Readonly<Record<string, unknown>>): RawJson {
  return new RawJson(JSON.stringify(result));
}

function uncached(result: Readonly<Record<string, unknown>>): RawJson {
  return new RawJson(`{${CACHING},${JSON.stringify(result).slice(1)}`);
}

/** In this era a missing resource is an invalid-params error. */
function throwAsInvalidParams(error: unknown): never {
  if (!isNotFound(error)) throw error;
  throw new AppError('INVALID_PARAMS', error.message, {
    cause: error,
    ...(error.data === undefined ? {} : { data: error.data }),
  });
}

function discovery(server: Server): Readonly<Record<string, unknown>> {
  return { supportedVersions: [MODERN_VERSION], capabilities: capabilitiesOf(server), ...instructionsOf(server) };
}

/** The methods whose handlers may ask the client for input. */
const INPUT_METHODS = new Set(['tools/call', 'prompts/get', 'resources/read']);

function isRetry({ method, params }: IncomingRequest): boolean {
  return INPUT_METHODS.has(method) && isObject(params) && params['requestState'] !== undefined;
}

class ModernCall implements CallLink {
  readonly era = 'modern';
  readonly #held: HeldCall;
  readonly #connection: Connection;
  readonly #first: IncomingRequest;

  constructor(held: HeldCall, connection: Connection) {
    this.#held = held;
    this.#connection = connection;
    this.#first = held.request();
  }

  get request(): IncomingRequest {
    return this.#held.request();
  }

  /** The signal of the first request, which covers the whole call: whatever ends the call aborts it. */
  get signal(): AbortSignal {
    return this.#first.signal;
  }

  get client(): ServedClient {
    return this.#connection.client;
  }

  get logLevel(): LogLevel | undefined {
    const level = metaOf(this.request.params)[LOG_LEVEL_KEY];
    return isLogLevel(level) ? level : undefined;
  }

  notify(method: string, params: unknown): void {
    this.#connection.link.notify(method, params, this.request.exchange);
  }

  get capabilities(): unknown {
    return metaOf(this.request.params)[CAPABILITIES_KEY];
  }

  requestClient(
    method: string,
    params: Readonly<Record<string, unknown>>,
    options?: InputRequestOptions,
  ): Promise<unknown> {
    return this.#held.requestInput(method, params, options);
  }
}
