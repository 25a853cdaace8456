import type { Upstream } from '../../upstream/upstream.ts';
import type { Client } from '../client/client.ts';
import type { TaskAudience } from './task-recipients.ts';

/** Who may be meant by a message of a server. */
export interface Audience {
  /** All connected clients. */
  readonly all: ReadonlySet<Client>;
  /** Returns the clients that this process serves. */
  clientsOf(upstream: Upstream): readonly Client[];
  /** Who has started which task. Undefined if tasks are not recorded. */
  readonly tasks?: TaskAudience;
}

/**
 * Returns the client that a server request is for if it names no call: the only client with pending calls, or the only
 * one that the process serves. Returns undefined if it may be for either of two clients: it is never guessed.
 */
export function attributeRequest(upstream: Upstream, audience: Audience): Client | undefined {
  const [only, ...others] = audience.clientsOf(upstream);
  if (others.length === 0 && audience.all.size === 1) return only;
  return attribute(upstream.callers(), others.length === 0 ? only : undefined, audience);
}

/**
 * Like `attributeRequest`, for a notification. Clients that have just given up a call count too: losing a log message
 * does less harm than sending it to the wrong client. A notification that may be for several clients is counted.
 */
export function attributeNotification(upstream: Upstream, audience: Audience): Client | undefined {
  const former = upstream.formerCallers();
  const [only, ...others] = audience.clientsOf(upstream);
  if (others.length === 0 && audience.all.size === 1 && former.length === 0) return only;
  const callers = upstream.callers();
  for (const client of former) callers.add(client);
  const client = attribute(callers, others.length === 0 ? only : undefined, audience);
  if (client === undefined && audience.all.size > 1) upstream.history.messageDropped();
  return client;
}

function attribute(callers: ReadonlySet<object>, only: Client | undefined, { all }: Audience): Client | undefined {
  if (callers.size === 0) return only;
  const [caller] = callers.size === 1 ? callers : [];
  return [...all].find((client) => client === caller);
}
