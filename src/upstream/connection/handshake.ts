import { AppError } from '../../base/errors.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import { SWITCHBOARD_INFO } from '../../base/version.ts';
import { frameBytes } from '../../wire/frame.ts';
import { rawMember } from '../../wire/json/scan.ts';
import { isObject } from '../../wire/messages.ts';
import { parseFrame } from '../../wire/parse-frame.ts';
import { ACCEPTED_SERVER_VERSIONS, NEWEST_LEGACY_VERSION } from '../../wire/protocol-versions.ts';
import type { InitializeResult } from '../state.ts';
import type { Connection } from './connection.ts';
import { OwnRequest, type OwnResponse } from './own-request.ts';

/**
 * Returns the params of our own `initialize`. Without `clientInfo`, the client is Switchboard. The server replies with
 * the protocol version that it chooses.
 */
export function toInitializeParams(capabilities: unknown, clientInfo: unknown = SWITCHBOARD_INFO): unknown {
  return { protocolVersion: NEWEST_LEGACY_VERSION, capabilities, clientInfo };
}

/** Returns the capabilities to declare to a server on behalf of a client, from the params of that client. */
export function relayedCapabilities(clientInitializeParams: unknown): unknown {
  return isObject(clientInitializeParams) && isObject(clientInitializeParams['capabilities'])
    ? clientInitializeParams['capabilities']
    : {};
}

/**
 * Runs the handshake. `params` are those of `initialize`; each server may choose its own protocol version. The timeout
 * is paused while `isDeadlinePaused` returns true, because the server waits for a person.
 */
export async function handshake(
  connection: Connection,
  params: unknown,
  timeoutMs: number,
  isDeadlinePaused?: () => boolean,
): Promise<InitializeResult> {
  const request = new OwnRequest('initialize', params, { timeoutMs, isDeadlinePaused, acceptsAnyDepth: true });
  connection.call(request, timeoutMs);
  const initializeResult = readInitializeResult(await request.completed);
  checkVersion(initializeResult);
  connection.notify('notifications/initialized');
  return initializeResult;
}

function checkVersion({ protocolVersion }: InitializeResult): void {
  if (ACCEPTED_SERVER_VERSIONS.includes(protocolVersion)) return;
  const spoken = oneLine(JSON.stringify(protocolVersion), 40);
  throw new AppError('UNSUPPORTED_VERSION', `it uses protocol version ${spoken}, which is not supported.`, {
    data: { supported: ACCEPTED_SERVER_VERSIONS, requested: protocolVersion },
  });
}

/** Parses the stored result of an earlier `initialize`; returns undefined if it is invalid. */
export function parseInitializeResult(json: string): InitializeResult | undefined {
  try {
    return toInitializeResult(JSON.parse(json), json);
  } catch {
    // The stored text is corrupt.
    return undefined;
  }
}

function readInitializeResult({ frame }: OwnResponse): InitializeResult {
  const message = parseFrame(frame);
  const result = isObject(message) ? message['result'] : undefined;
  return toInitializeResult(result, rawMember(frameBytes(frame), 'result') ?? '{}');
}

function toInitializeResult(result: unknown, json: string): InitializeResult {
  const protocolVersion = isObject(result) ? result['protocolVersion'] : undefined;
  if (!isObject(result) || typeof protocolVersion !== 'string') {
    throw new AppError('BAD_ANSWER', 'the response to initialize has no protocolVersion.');
  }
  const { capabilities, serverInfo, instructions } = result;
  return {
    protocolVersion,
    capabilities: isObject(capabilities) ? capabilities : {},
    serverInfo,
    instructions: typeof instructions === 'string' ? instructions : undefined,
    json,
  };
}
