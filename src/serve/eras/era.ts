import type { IncomingRequest } from '../../wire/rpc/incoming-requests.ts';
import type { Peer } from '../../wire/rpc/peer.ts';
import type { ChangeListener } from '../changes.ts';

/**
 * The request handling of one protocol era. Both eras share the tools, prompts and resources. An era sends only the
 * notifications that its client has asked for.
 */
export interface Era extends ChangeListener {
  request(request: IncomingRequest): unknown;
}

/** The client operations available to an era. */
export type ClientLink = Pick<Peer, 'notify' | 'request'>;
