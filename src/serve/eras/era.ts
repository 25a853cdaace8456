import type { IncomingRequest } from '../../wire/rpc/incoming-requests.ts';
import type { Peer } from '../../wire/rpc/peer.ts';
import type { ResourceListener } from '../resources/resource-changes.ts';

/** How one era of the protocol answers; both share the tools and the resources. Tells the client what it asked to be told. */
export interface Era extends ResourceListener {
  request(request: IncomingRequest): unknown;
  toolsChanged(): void;
}

/** What an era may do towards the client. */
export type ClientLink = Pick<Peer, 'notify' | 'request'>;
