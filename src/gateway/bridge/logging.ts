import { isLogLevel, LOG_LEVELS, type LogLevel } from '../../serve/log-levels.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { type Frame, frameBytes } from '../../wire/frame.ts';
import { scanMembers } from '../../wire/json/scan.ts';
import { isForwardable, type OutgoingMessage, replaceSpans, toOutgoingMessage } from '../../wire/json/splice.ts';
import { isObject } from '../../wire/messages.ts';
import type { Client } from '../client/client.ts';
import { type Audience, attributeNotification } from './attribution.ts';
import { relatedRequest, type ServerMessage } from './notifications.ts';
import type { TaskRecipients } from './task-recipients.ts';

/**
 * Sets the server's log level to the most verbose level that any client requested. Messages are filtered per client.
 */
export function sendLogLevel(upstream: Upstream, clients: Iterable<Client>): void {
  const levels = [...clients].map(({ logLevel }) => logLevel).filter(isLogLevel);
  if (levels.length === 0 || !isObject(upstream.initializeResult?.capabilities['logging'])) return;
  const level = LOG_LEVELS.find((candidate) => levels.includes(candidate));
  // A server that cannot set its level logs everything. `forwardLog` filters the messages for each client anyway.
  void upstream.request('logging/setLevel', { level }).catch(() => undefined);
}

/** Forwards a log message to the client that caused it if it wants it, with the server id in front of its logger name. */
export function forwardLog(log: ServerMessage, audience: Audience): void {
  const ofTask = audience.tasks?.recipientsOf(log);
  if (ofTask !== undefined) {
    for (const client of ofTask.clients) sendLog(log, client, ofTask);
    return;
  }
  const client = relatedRequest(log)?.client ?? attributeNotification(log.upstream, audience);
  if (client !== undefined) sendLog(log, client);
}

function sendLog(log: ServerMessage, client: Client, ofTask?: TaskRecipients): void {
  const { upstream, message, frame } = log;
  const { level, logger } = isObject(message.params) ? message.params : {};
  if (!wants(client, level)) return;
  // A client of one server only needs no prefix.
  const forwarded = client.seesOneServer
    ? toOutgoingMessage(frame)
    : withLogger(frame, typeof logger === 'string' ? `${upstream.id}/${logger}` : upstream.id);
  if (forwarded === undefined) return;
  const related = relatedRequest(log);
  const carrier = related?.client === client ? related : client.onlyRequestTo(upstream);
  client.serverRequests.notify(ofTask?.rewrite(forwarded) ?? forwarded, carrier);
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
