import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError, toAppError } from '../../../base/errors.ts';
import { type Frame, frameBytes, frameLength } from '../../../wire/frame.ts';
import { isObject, type JsonObject } from '../../../wire/messages.ts';
import { parseFrame } from '../../../wire/parse-frame.ts';
import { isLegacyVersion, NEWEST_LEGACY_VERSION } from '../../../wire/protocol-versions.ts';
import { idTextOf } from '../../../wire/relay/id-text.ts';
import { type RequestParts, readCommonRequest } from '../../../wire/relay/read-common-request.ts';
import { carriesEnvelope } from '../../eras/envelope.ts';
import { readAccept } from './accept.ts';
import type { FrontClient, FrontState } from './front-state.ts';
import { HttpExchange, type OpeningSession } from './http-exchange.ts';
import type { LegacySessions, Target } from './legacy/legacy-sessions.ts';
import { findHeaderProblem, findParamProblem } from './modern/check-headers.ts';
import { Envelopes } from './modern/envelopes.ts';
import type { ModernClients } from './modern/modern-clients.ts';
import { decodeParts, type ModernRequest, toModernRequest } from './modern/modern-request.ts';
import { type Refusal, refuseAsBusy, refuseLargeDescription, refuseWithStatus, sendRefusal } from './refusal.ts';
import { refuseBatch } from './refuse-batch.ts';
import type { BodyReader } from './request-body.ts';

export interface PostHandlerOptions {
  readonly state: FrontState;
  readonly sessions: LegacySessions;
  readonly modernClients: ModernClients;
  readonly bodies: BodyReader;
}

export type RequestHandler = (request: IncomingMessage, response: ServerResponse, target: Target) => void;

/** Creates the handler of POST requests, each of which carries one message of a client. */
export function createPostHandler({ state, sessions, modernClients, bodies }: PostHandlerOptions): RequestHandler {
  const { limits } = state;
  const envelopes = new Envelopes();

  const receive = (client: FrontClient, body: Frame, options: Exchanged) => {
    const refusal = findOverload(state, client);
    if (refusal !== undefined) {
      options.opening?.failed();
      return sendRefusal(options.response, refusal, options.idText);
    }
    const { request, response, opening } = options;
    const accepted = readAccept(request.headers.accept);
    const exchange = new HttpExchange({ state, client, response, accepted, body, opening });
    client.connection.receive(body, exchange, options.parts);
  };

  /** The common case: the front does not even parse the message. */
  const receiveInSession: RequestHandler = (request, response, target) => {
    const session = sessions.find(String(request.headers['mcp-session-id']), target);
    if ('status' in session) return sendRefusal(response, session);
    const version = request.headers['mcp-protocol-version'];
    if (version !== undefined && !isLegacyVersion(version)) return sendRefusal(response, unsupported(String(version)));
    session.incoming.add(request);
    bodies.read(request, {
      received(body) {
        session.incoming.delete(request);
        const refusal = session.closedBecause ?? refuseBatch(body, session.protocolVersion);
        if (refusal !== undefined) sendRefusal(response, refusal);
        else receive(session, body, { request, response });
      },
      refused(refusal) {
        session.incoming.delete(request);
        sendRefusal(response, refusal);
      },
    });
  };

  const receiveWithoutSession = (exchanged: Exchanged, target: Target, body: Frame, message: JsonObject) => {
    const { request, response } = exchanged;
    const { id, method, params } = message;
    const isRequest = typeof method === 'string' && (typeof id === 'string' || typeof id === 'number');
    const idText = isRequest ? idTextOf(message, body) : 'null';
    const version = request.headers['mcp-protocol-version'];
    const isLegacy = version === undefined || isLegacyVersion(version);
    if (carriesEnvelope(params) || !isLegacy) {
      const refuse = (error: AppError) => sendRefusal(response, { status: 400, error }, idText);
      if (typeof method !== 'string') return refuse(NO_RESPONSES);
      // Notifications carry no envelope. In this era, all of them belong to stdio.
      if (id === undefined) return void response.writeHead(202, { 'Content-Length': 0 }).end();
      if (!isRequest) return refuse(INVALID_ID);
      return receiveModern(exchanged, target, body, toModernRequest(idText, method, params));
    }
    if (method !== 'initialize') return sendRefusal(response, SESSION_REQUIRED, idText);
    if (state.isDraining) return sendRefusal(response, refuseAsBusy(503, 'The server is stopping.'), idText);
    if (frameLength(body) > limits.maxDescriptionBytes)
      return sendRefusal(response, refuseLargeDescription(limits.maxDescriptionBytes), idText);
    const opened = sessions.open(target, params);
    if ('status' in opened) return sendRefusal(response, opened, idText);
    receive(opened.session, body, { request, response, idText, opening: opened.opening });
  };

  const receiveModern = ({ request, response }: Exchanged, target: Target, body: Frame, message: ModernRequest) => {
    const { idText, method, envelope, param, parts } = message;
    const refuse = (error: AppError) => sendRefusal(response, { status: 400, error }, idText);
    const problem = findHeaderProblem(request.headers, message);
    if (problem !== undefined) return refuse(problem);
    const client = modernClients.find(target, envelope);
    if ('status' in client) return sendRefusal(response, client, idText);
    const declared = method === 'tools/call' ? client.connection.paramHeaders?.(String(param('name'))) : undefined;
    const paramProblem = declared && findParamProblem(request.headers, declared, param('arguments'));
    if (paramProblem !== undefined) return refuse(paramProblem);
    receive(client, body, { request, response, idText, parts });
  };

  return (request, response, target) => {
    const { headers } = request;
    const isLegacy = headers['mcp-protocol-version'] === undefined || isLegacyVersion(headers['mcp-protocol-version']);
    if (headers['mcp-session-id'] !== undefined && isLegacy) return receiveInSession(request, response, target);
    bodies.read(request, {
      received(body) {
        // The common case: the message is read only once, and its params are not decoded.
        const parts = isLegacy ? undefined : readCommonRequest(body);
        if (parts !== undefined)
          return receiveModern({ request, response }, target, body, decodeParts(parts, envelopes));
        const message = parseMessage(body);
        if (message instanceof AppError) sendRefusal(response, { status: statusFor(message), error: message });
        else receiveWithoutSession({ request, response }, target, [frameBytes(body)], message);
      },
      refused: (refusal) => sendRefusal(response, refusal),
    });
  };
}

interface Exchanged {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The id of the request as JSON, if the message was parsed. */
  readonly idText?: string;
  readonly opening?: OpeningSession;
  readonly parts?: RequestParts | undefined;
}

/** Returns why no further request is accepted for now. */
function findOverload({ exchanges, limits }: FrontState, client: FrontClient): Refusal | undefined {
  const { maxRequestsPerClient, maxRequests } = limits;
  if (client.openRequests >= maxRequestsPerClient)
    return refuseAsBusy(429, `${maxRequestsPerClient} requests of this client are running. Wait for one to end.`);
  if (exchanges.size >= maxRequests)
    return refuseAsBusy(503, `${maxRequests} requests are running. Try again in a moment.`);
  return undefined;
}

function parseMessage(body: Frame): JsonObject | AppError {
  try {
    const message = parseFrame(body);
    return isObject(message) ? message : new AppError('INVALID_REQUEST', NOT_AN_OBJECT);
  } catch (error) {
    return toAppError(error);
  }
}

const NOT_AN_OBJECT = 'The body must be one JSON-RPC message.';

function statusFor({ code }: AppError): number {
  return code === 'MESSAGE_TOO_LARGE' ? 413 : 400;
}

function unsupported(requested: string): Refusal {
  const data = { supported: [NEWEST_LEGACY_VERSION], requested };
  const message = `MCP-Protocol-Version ${JSON.stringify(requested)} is not supported in a session.`;
  return { status: 400, error: new AppError('UNSUPPORTED_VERSION', message, { data }) };
}

const SESSION_REQUIRED = refuseWithStatus(400, 'The Mcp-Session-Id header is missing. Send initialize first.');
const INVALID_ID = new AppError('INVALID_REQUEST', 'An id must be a string or a number.');
const NO_RESPONSES = new AppError('INVALID_REQUEST', 'Send a request or a notification, not a response.');
