import type { Upstream } from '../../upstream/upstream.ts';
import type { Client } from '../client/client.ts';

/** Who may be meant by a message of a server. */
export interface Audience {
  /** All connected clients. */
  readonly all: ReadonlySet<Client>;
  /** Returns the clients that this process serves. */
  clientsOf(upstream: Upstream): readonly Client[];
  /** Returns the connected client whose task a message of this process names in its params. */
  ownerOfTask?(upstream: Upstream, params: unknown): Client | undefined;
}

/**
 * Returns the client that a message is for if the message names no request: the only client that the server works for,
 * or the only one that it serves. Returns undefined if it may be for either of two clients: no message of one client may
 * reach another.
 */
export function attribute(upstream: Upstream, { all, clientsOf }: Audience): Client | undefined {
  const clients = clientsOf(upstream);
  const [only] = clients.length === 1 ? clients : [];
  if (all.size === 1 && !upstream.hasFormerCallers) return only;
  const callers = upstream.callers();
  if (callers.size === 0) return only;
  const [caller] = callers.size === 1 ? callers : [];
  return [...all].find((client) => client === caller);
}

/** Returns the client of a notification that names no request. Counts one that could be for several clients. */
export function attributeOrCount(upstream: Upstream, audience: Audience): Client | undefined {
  const client = attribute(upstream, audience);
  if (client === undefined && audience.all.size > 1) upstream.history.messageDropped();
  return client;
}
