import { AppError } from '../base/errors.ts';
import type { IncomingRequest } from '../wire/incoming.ts';
import { isObject, RawJson } from '../wire/messages.ts';
import { type CallLink, metaOf } from './context.ts';
import { canElicit, cannotElicit, createElicitation, type ElicitRequest, type ElicitResult } from './elicitation.ts';
import { CAPABILITIES_KEY, checkEnvelope } from './envelope.ts';
import { CAPABILITIES, type ClientLink, type Era, instructionsOf, serverInfo } from './era.ts';
import { createHeldCalls, type HeldCall } from './held-call.ts';
import { isLogLevel, type LogLevel } from './log-levels.ts';
import type { Schema } from './schema.ts';
import type { Server } from './server.ts';
import { createSubscriptions } from './subscriptions.ts';
import { callTool } from './tool-call.ts';
import { MODERN_VERSION } from './versions.ts';

export interface ModernEra extends Era {
  /** The client is gone: ends the calls and the streams that wait for it. */
  leave(reason: AppError): void;
}

/** MCP 2026-07-28: no connection state; every request says in its envelope who asks and what they can do. */
export function createModernEra(server: Server, client: ClientLink): ModernEra {
  const held = createHeldCalls();
  const subscriptions = createSubscriptions(client);
  const stamp = `"resultType":"complete","_meta":${JSON.stringify({ [SERVER_INFO]: serverInfo(server) })}`;

  const call = (request: IncomingRequest) => {
    const result = isRetry(request.params)
      ? held.resume(request)
      : held.begin(request, (heldCall) => callTool(server, new ModernCall(heldCall, client)));
    return result instanceof RawJson ? complete(result) : result.then(complete);
  };

  /** A result that has no type yet is a complete one; its own `_meta` is kept. */
  const complete = (raw: RawJson): RawJson => {
    const { json } = raw;
    if (json.startsWith('{"resultType"')) return raw;
    if (!json.includes('"_meta"')) return new RawJson(json === '{}' ? `{${stamp}}` : `{${stamp},${json.slice(1)}`);
    const result = JSON.parse(json);
    const _meta = { [SERVER_INFO]: serverInfo(server), ...result._meta };
    return new RawJson(JSON.stringify({ resultType: 'complete', ...result, _meta }));
  };

  return {
    request(request) {
      checkEnvelope(request.params);
      switch (request.method) {
        case 'tools/call':
          return call(request);
        case 'tools/list':
          return new RawJson(`{${stamp},${CACHING},${server.catalog.listJson()}}`);
        case 'server/discover':
          return complete(new RawJson(`{${CACHING},${JSON.stringify(discovery(server)).slice(1)}`));
        case 'subscriptions/listen':
          return subscriptions.listen(request).then(() => complete(new RawJson('{}')));
      }
      throw new AppError('METHOD_NOT_FOUND', `Method not found: ${request.method}`);
    },
    toolsChanged: () => subscriptions.toolsChanged(),
    leave(reason) {
      held.close(reason);
      subscriptions.close();
    },
  };
}

const LOG_LEVEL_KEY = 'io.modelcontextprotocol/logLevel';
const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';
/** Tools may change at any time, so nothing may be kept without asking again. */
const CACHING = '"ttlMs":0,"cacheScope":"private"';

function discovery(server: Server): Readonly<Record<string, unknown>> {
  return { supportedVersions: [MODERN_VERSION], capabilities: CAPABILITIES, ...instructionsOf(server) };
}

function isRetry(params: unknown): boolean {
  return isObject(params) && (params['requestState'] !== undefined || params['inputResponses'] !== undefined);
}

class ModernCall implements CallLink {
  readonly era = 'modern';
  readonly #held: HeldCall;
  readonly #client: ClientLink;
  readonly #first: IncomingRequest;

  constructor(held: HeldCall, client: ClientLink) {
    this.#held = held;
    this.#client = client;
    this.#first = held.request();
  }

  get request(): IncomingRequest {
    return this.#held.request();
  }

  /** The first request's signal spans the whole call: whatever ends the call aborts it. */
  get signal(): AbortSignal {
    return this.#first.signal;
  }

  get logLevel(): LogLevel | undefined {
    const level = metaOf(this.request.params)[LOG_LEVEL_KEY];
    return isLogLevel(level) ? level : undefined;
  }

  notify(method: string, params: unknown): void {
    this.#client.notify(method, params);
  }

  async elicit<Given extends Schema>(request: ElicitRequest<Given>): Promise<ElicitResult<Given>> {
    if (!canElicit(metaOf(this.request.params)[CAPABILITIES_KEY])) throw cannotElicit();
    const elicitation = createElicitation(request);
    return elicitation.read(await this.#held.ask('elicitation/create', elicitation.params));
  }
}
