import type { IncomingRequest } from '../wire/incoming.ts';
import type { Peer } from '../wire/peer.ts';
import type { ResourceListener } from './resource-news.ts';
import type { Server } from './server.ts';

/** How one era of the protocol answers; both share the tools and the resources. Tells the client what it asked to be told. */
export interface Era extends ResourceListener {
  request(request: IncomingRequest): unknown;
  toolsChanged(): void;
}

/** What an era may do towards the client. */
export type ClientLink = Pick<Peer, 'notify' | 'request'>;

/** What a server declares, in either era. */
export function capabilitiesOf({ capabilities, resources }: Server): Readonly<Record<string, unknown>> {
  if (capabilities !== undefined) return capabilities;
  const declared = { tools: { listChanged: true }, logging: {} };
  return resources === undefined ? declared : { ...declared, resources: { subscribe: true, listChanged: true } };
}

export function serverInfo({ info }: Server): Readonly<Record<string, unknown>> {
  const { instructions: _, extra, ...shown } = info;
  // Shown twice: first for the order, then because nothing may replace the name.
  return extra === undefined ? shown : { ...shown, ...extra, ...shown };
}

export function instructionsOf({ info }: Server): { instructions?: string } {
  return info.instructions === undefined ? {} : { instructions: info.instructions };
}
