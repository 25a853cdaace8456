import type { ServerResponse } from 'node:http';
import { isLegacyVersion } from '../../../wire/protocol-versions.ts';
import { readAccept } from './accept.ts';
import { EVENT_STREAM_HEADERS, type EventStream } from './event-stream.ts';
import type { FrontState } from './front-state.ts';
import type { LegacySession } from './legacy/legacy-session.ts';
import { HANDED_OVER, type LegacySessions } from './legacy/legacy-sessions.ts';
import type { RequestHandler } from './post-request.ts';
import { type Refusal, refuseUnknownSession, refuseWithStatus, sendRefusal } from './refusal.ts';

/** Creates the handler of GET and DELETE requests. Only legacy clients send them: to listen, and to end their session. */
export function createSessionHandler(state: FrontState, sessions: LegacySessions): RequestHandler {
  return (request, response, target) => {
    const { headers, method } = request;
    const version = headers['mcp-protocol-version'];
    if ((method !== 'GET' && method !== 'DELETE') || (version !== undefined && !isLegacyVersion(version)))
      return sendRefusal(response, notAllowed(String(method)));
    const id = headers['mcp-session-id'];
    if (id === undefined) return sendRefusal(response, SESSION_REQUIRED);
    const session = sessions.find(String(id), target);
    if ('status' in session) return sendRefusal(response, session);
    if (method === 'DELETE') {
      // Only the process that continues the session can end it for good.
      if (state.isHandedOver) return sendRefusal(response, HANDED_OVER);
      sessions.end(session, refuseUnknownSession());
      return void response.writeHead(200, { 'Content-Length': 0 }).end();
    }
    if (!readAccept(headers.accept).events) return sendRefusal(response, NO_EVENTS_ACCEPTED);
    const lastEventId = headers['last-event-id'];
    listen(state, session, response, typeof lastEventId === 'string' ? lastEventId : undefined);
  };
}

/** Writes the stream of the server to this response, or continues the stream that the client has lost. */
function listen(
  state: FrontState,
  session: LegacySession,
  response: ServerResponse,
  lastEventId: string | undefined,
): void {
  const { stream, resumeAfter } = session.findStream(lastEventId);
  response.writeHead(200, EVENT_STREAM_HEADERS);
  response.once('close', () => detach(state, session, stream, response));
  state.streams.add(stream);
  stream.prime(response);
  stream.attach(response, resumeAfter);
}

function detach(state: FrontState, session: LegacySession, stream: EventStream, response: ServerResponse): void {
  session.idleHeartbeats = 0;
  stream.detach(response);
  if (!stream.isAttached) state.streams.delete(stream);
}

function notAllowed(method: string): Refusal {
  const message = `${method} is not possible here. Since protocol version 2026-07-28, clients send POST requests only.`;
  return refuseWithStatus(405, message, { Allow: 'POST' });
}

const SESSION_REQUIRED = refuseWithStatus(
  400,
  'The Mcp-Session-Id header is missing. Send initialize with POST first.',
);
const NO_EVENTS_ACCEPTED = refuseWithStatus(406, 'The response is an event stream. Send "Accept: text/event-stream".');
