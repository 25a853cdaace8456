import type { IncomingRequest } from '../wire/incoming.ts';
import type { Peer } from '../wire/peer.ts';
import type { Server } from './server.ts';

/** How one era of the protocol answers; both share the tools. */
export interface Era {
  request(request: IncomingRequest): unknown;
  /** The tools have changed: tells the client, if it asked to be told. */
  toolsChanged(): void;
}

/** What an era may do towards the client. */
export type ClientLink = Pick<Peer, 'notify' | 'request'>;

/** The capabilities that a server of tools has, in either era. */
export const CAPABILITIES = { tools: { listChanged: true }, logging: {} };

export function serverInfo({ info }: Server): Readonly<Record<string, unknown>> {
  const { instructions: _, ...shown } = info;
  return shown;
}

export function instructionsOf({ info }: Server): { instructions?: string } {
  return info.instructions === undefined ? {} : { instructions: info.instructions };
}
