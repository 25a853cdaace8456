import { AppError } from '../../base/errors.ts';
import { CAPABILITIES_KEY, CLIENT_INFO_KEY, LOG_LEVEL_KEY, SERVER_INFO_KEY } from '../../wire/envelope-keys.ts';
import { isObject, RawJson } from '../../wire/messages.ts';
import { MODERN_VERSION } from '../../wire/protocol-versions.ts';
import type { IncomingRequest } from '../../wire/rpc/incoming-requests.ts';
import { type CallLink, metaOf } from '../context.ts';
import {
  canElicit,
  cannotElicit,
  createElicitation,
  type ElicitOptions,
  type ElicitRequest,
  type ElicitResult,
} from '../elicitation.ts';
import { capabilitiesOf, instructionsOf, serverInfo } from '../initialize-result.ts';
import { isLogLevel, type LogLevel } from '../log-levels.ts';
import { answerResources, isNotFound } from '../resources/resource-requests.ts';
import type { Connection, ServedClient } from '../served-client.ts';
import type { Server } from '../server.ts';
import type { Schema } from '../tools/schema.ts';
import { callTool } from '../tools/tool-call.ts';
import { checkEnvelope } from './envelope.ts';
import type { Era } from './era.ts';
import { createHeldCalls, type HeldCall } from './held-call.ts';
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
  const subscriptions = createSubscriptions(connection.link, { hasResources: server.resources !== undefined });
  const stamp = `"resultType":"complete","_meta":${JSON.stringify({ [SERVER_INFO_KEY]: serverInfo(server) })}`;

  const call = (request: IncomingRequest) => {
    const result = isRetry(request.params)
      ? held.resume(request)
      : held.begin(request, (heldCall) => callTool(server, new ModernCall(heldCall, connection)));
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
          return call(request);
        case 'tools/list':
          return new RawJson(`{${stamp},${CACHING},${server.catalog.listJson()}}`);
        case 'server/discover':
          return complete(uncached(discovery(server)));
        case 'subscriptions/listen':
          return subscriptions.listen(request).then(() => complete(new RawJson('{}')));
      }
      const { method, params } = request;
      const resources = answerResources(server, method, params);
      if (resources !== undefined) return resources.then((result) => complete(uncached(result)), throwAsInvalidParams);
      const answer = server.prompts?.answer(method, params);
      if (answer === undefined) throw new AppError('METHOD_NOT_FOUND', `Method not found: ${method}`);
      return answer.then((result) => complete(method === 'prompts/list' ? uncached(result) : toRaw(result)));
    },
    toolsChanged: subscriptions.toolsChanged,
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

function isRetry(params: unknown): boolean {
  return isObject(params) && (params['requestState'] !== undefined || params['inputResponses'] !== undefined);
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

  async elicit<Given extends Schema>(
    request: ElicitRequest<Given>,
    options?: ElicitOptions,
  ): Promise<ElicitResult<Given>> {
    if (!canElicit(metaOf(this.request.params)[CAPABILITIES_KEY])) throw cannotElicit();
    const elicitation = createElicitation(request);
    return elicitation.read(await this.#held.requestInput('elicitation/create', elicitation.params, options));
  }
}
