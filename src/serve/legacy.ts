import { AppError } from '../base/errors.ts';
import type { IncomingRequest } from '../wire/incoming.ts';
import { isObject, RawJson } from '../wire/messages.ts';
import type { CallLink } from './context.ts';
import {
  canElicit,
  cannotElicit,
  createElicitation,
  ELICIT_TIMEOUT_MS,
  type ElicitRequest,
  type ElicitResult,
} from './elicitation.ts';
import { CAPABILITIES, type ClientLink, type Era, instructionsOf, serverInfo } from './era.ts';
import { isLogLevel, LOG_LEVELS, type LogLevel } from './log-levels.ts';
import type { Schema } from './schema.ts';
import type { Server } from './server.ts';
import { callTool } from './tool-call.ts';
import { negotiate } from './versions.ts';

export interface LegacyEra extends Era {
  notification(method: string): void;
}

/** MCP 2024-11-05 to 2025-11-25: `initialize` opens a connection that remembers its client. */
export function createLegacyEra(server: Server, client: ClientLink): LegacyEra {
  const state: LegacyState = { client, capabilities: undefined, logLevel: 'info' };
  let isInitialized = false;

  return {
    request(request) {
      switch (request.method) {
        case 'tools/call':
          return callTool(server, new LegacyCall(request, state));
        case 'tools/list':
          return new RawJson(`{${server.catalog.listJson()}}`);
        case 'initialize':
          return initialize(server, state, request.params);
        case 'ping':
          return {};
        case 'logging/setLevel':
          return setLevel(state, request.params);
      }
      throw new AppError('METHOD_NOT_FOUND', `Method not found: ${request.method}`);
    },
    notification(method) {
      if (method === 'notifications/initialized') isInitialized = true;
    },
    toolsChanged() {
      if (isInitialized) client.notify('notifications/tools/list_changed');
    },
  };
}

interface LegacyState {
  readonly client: ClientLink;
  capabilities: unknown;
  logLevel: LogLevel;
}

function initialize(server: Server, state: LegacyState, params: unknown): unknown {
  state.capabilities = isObject(params) ? params['capabilities'] : undefined;
  return {
    protocolVersion: negotiate(isObject(params) ? params['protocolVersion'] : undefined),
    capabilities: CAPABILITIES,
    serverInfo: serverInfo(server),
    ...instructionsOf(server),
  };
}

function setLevel(state: LegacyState, params: unknown): unknown {
  const level = isObject(params) ? params['level'] : undefined;
  if (!isLogLevel(level)) throw new AppError('INVALID_PARAMS', `params.level must be one of ${LOG_LEVELS.join(', ')}.`);
  state.logLevel = level;
  return {};
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

  get logLevel(): LogLevel {
    return this.#state.logLevel;
  }

  notify(method: string, params: unknown): void {
    this.#state.client.notify(method, params);
  }

  async elicit<Given extends Schema>(request: ElicitRequest<Given>): Promise<ElicitResult<Given>> {
    if (!canElicit(this.#state.capabilities)) throw cannotElicit();
    const elicitation = createElicitation(request);
    const options = { timeoutMs: ELICIT_TIMEOUT_MS, signal: this.signal };
    return elicitation.read(await this.#state.client.request('elicitation/create', elicitation.params, options));
  }
}
