import { isLogLevel, LOG_LEVELS, type LogLevel } from '../../serve/log-levels.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { type Frame, frameBytes } from '../../wire/frame.ts';
import { scanMembers } from '../../wire/json/scan.ts';
import { isForwardable, type OutgoingMessage, replaceSpans, toOutgoingMessage } from '../../wire/json/splice.ts';
import { isObject } from '../../wire/messages.ts';
import type { Client } from '../client/client.ts';
import { recipientsOf, relatedRequest, type UpstreamMessage } from './notifications.ts';

/**
 * Sets the server's log level to the most verbose level that any client requested. Messages are filtered per client.
 */
export function sendLogLevel(upstream: Upstream, clients: ReadonlySet<Client>): void {
  const seeing = [...clients].filter((client) => client.receivesFrom(upstream));
  const levels = seeing.map(({ logLevel }) => logLevel).filter(isLogLevel);
  if (levels.length === 0 || !isObject(upstream.initializeResult?.capabilities['logging'])) return;
  const level = LOG_LEVELS.find((candidate) => levels.includes(candidate));
  // A server that cannot set its level logs everything. `forwardLog` filters the messages for each client anyway.
  void upstream.request('logging/setLevel', { level }).catch(() => undefined);
}

/** Forwards a log message to the clients that want it, with the server id in front of its logger name. */
export function forwardLog(received: UpstreamMessage, clients: ReadonlySet<Client>): void {
  const { upstream, message, frame } = received;
  const { level, logger } = isObject(message.params) ? message.params : {};
  const related = relatedRequest(received);
  const recipients = related === undefined ? recipientsOf(upstream, clients) : [related.client];
  const wanting = recipients.filter((client) => wants(client, level));
  if (wanting.length === 0) return;
  const named = withLogger(frame, typeof logger === 'string' ? `${upstream.id}/${logger}` : upstream.id);
  for (const client of wanting) {
    // A client of one server only needs no prefix.
    const forwarded = client.seesOneServer ? toOutgoingMessage(frame) : named;
    if (forwarded !== undefined) client.serverRequests.notify(forwarded, related ?? client.onlyRequestTo(upstream));
  }
}

function wants({ logLevel }: Client, level: unknown): boolean {
  if (!isLogLevel(logLevel) || !isLogLevel(level)) return true;
  return severity(level) >= severity(logLevel);
}

function severity(level: LogLevel): number {
  return LOG_LEVELS.indexOf(level);
}

function withLogger(frame: Frame, logger: string): OutgoingMessage | undefined {
  if (!isForwardable(frame)) return undefined;
  const bytes = frameBytes(frame);
  const params = scanMembers(bytes)?.findLast(({ key }) => key === 'params');
  const members = params && scanMembers(bytes, params.start, params.end);
  if (params === undefined || members === undefined) return undefined;
  const text = JSON.stringify(logger);
  const old = members.filter(({ key }) => key === 'logger');
  if (old.length > 0)
    return replaceSpans(
      bytes,
      old.map(({ start, end }) => ({ start, end, text })),
    );
  const inside = params.start + 1;
  const added = `"logger":${text}${members.length > 0 ? ',' : ''}`;
  return replaceSpans(bytes, [{ start: inside, end: inside, text: added }]);
}
