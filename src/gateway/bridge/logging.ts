import { AppError } from '../../base/errors.ts';
import { isLogLevel, LOG_LEVELS, type LogLevel } from '../../serve/log-levels.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { type Frame, frameBytes } from '../../wire/frame.ts';
import { scanMembers } from '../../wire/json/scan.ts';
import { isForwardable, type Outgoing, replace } from '../../wire/json/splice.ts';
import { type Incoming, isObject } from '../../wire/messages.ts';
import { passFrame } from '../../wire/pass.ts';
import type { Client } from '../client/client.ts';
import { concerned } from './notifications.ts';

/** A server hears of the most talkative level that any client wants; each client gets what it asked for. */
export function tellLevel(upstream: Upstream, clients: ReadonlySet<Client>): void {
  const levels = [...clients].map(({ logLevel }) => logLevel).filter(isLogLevel);
  if (levels.length === 0 || !isObject(upstream.facts?.capabilities['logging'])) return;
  const level = LOG_LEVELS.find((candidate) => levels.includes(candidate));
  // A server that cannot set its level logs as it likes: each client is spared what it did not ask for anyway.
  void upstream.request('logging/setLevel', { level }).catch(() => undefined);
}

/** A log message, with the name of its server in front of its logger. */
export function passLog(upstream: Upstream, message: Incoming, frame: Frame, clients: ReadonlySet<Client>): void {
  const { level, logger } = isObject(message.params) ? message.params : {};
  const wanting = concerned(upstream, clients).filter((client) => wants(client, level));
  if (wanting.length === 0) return;
  const named = withLogger(frame, typeof logger === 'string' ? `${upstream.id}/${logger}` : upstream.id);
  for (const client of wanting) {
    // Whoever came for one server knows whose words these are.
    const passed = client.isAttached ? passFrame(frame) : named;
    if (passed !== undefined) client.questions.tell(passed);
  }
}

/** The level that a client asks for. */
export function readLevel({ params }: Incoming): LogLevel {
  const level = isObject(params) ? params['level'] : undefined;
  if (isLogLevel(level)) return level;
  throw new AppError('INVALID_PARAMS', `params.level must be one of ${LOG_LEVELS.join(', ')}.`);
}

function wants({ logLevel }: Client, level: unknown): boolean {
  if (!isLogLevel(logLevel) || !isLogLevel(level)) return true;
  return severity(level) >= severity(logLevel);
}

function severity(level: LogLevel): number {
  return LOG_LEVELS.indexOf(level);
}

function withLogger(frame: Frame, logger: string): Outgoing | undefined {
  if (!isForwardable(frame)) return undefined;
  const bytes = frameBytes(frame);
  const params = scanMembers(bytes)?.findLast(({ key }) => key === 'params');
  const members = params && scanMembers(bytes, params.start, params.end);
  if (params === undefined || members === undefined) return undefined;
  const text = JSON.stringify(logger);
  const old = members.filter(({ key }) => key === 'logger');
  if (old.length > 0)
    return replace(
      bytes,
      old.map(({ start, end }) => ({ start, end, text })),
    );
  const inside = params.start + 1;
  const added = `"logger":${text}${members.length > 0 ? ',' : ''}`;
  return replace(bytes, [{ start: inside, end: inside, text: added }]);
}
