import { AppError } from '../../base/errors.ts';
import { isObject, resultText } from '../../wire/messages.ts';
import { isSubscribed } from '../bridge/subscriptions.ts';
import type { Client } from '../client/client.ts';
import type { Member } from '../servers/gateway-server.ts';
import { STATUS_URI } from '../status/status-resource.ts';
import type { AggregateOptions } from './aggregate-routing.ts';
import { relayRequest } from './forward-request.ts';
import type { ClientRequest } from './routing.ts';
import type { Lookup } from './wait-for-listing.ts';

type Handler = (client: Client, request: ClientRequest) => void;

export interface ResourceRequests {
  readonly read: Handler;
  readonly subscribe: Handler;
  readonly unsubscribe: Handler;
  /** Whether it is known whose a URI is. */
  readonly lookup: Lookup;
}

/** A server that may have a resource, and what it calls it. */
interface Candidate {
  readonly member: Member;
  readonly uri: string;
}

/** Requests that find their server by a URI: it listed it, or its template fits, or it is asked whether it knows it. */
export function createResourceRequests(options: AggregateOptions): ResourceRequests {
  const { roster, catalogs, clients, status } = options;

  const candidates = ({ profile }: Client, uri: string): readonly Candidate[] => {
    const catalog = catalogs.of(profile);
    const listed = catalog.find('resources', uri);
    if (listed !== undefined) return [{ member: listed.member, uri: listed.key }];
    const fitting = catalog.findByTemplate(uri);
    const asked = fitting.length > 0 ? fitting : roster.members.filter(offersResources);
    return asked.map((member) => ({ member, uri }));
  };

  /** Asks one after the other, until one does not answer that it knows nothing of it. */
  const askInTurn = (
    client: Client,
    request: ClientRequest,
    [first, ...rest]: readonly Candidate[],
    onTaken?: (taken: Candidate) => void,
  ) => {
    if (first === undefined) throw notFound(uriIn(request));
    relayRequest(client, first.member.upstream, request, {
      edits: [{ path: ['params', 'uri'], text: JSON.stringify(first.uri) }],
      onResult: () => onTaken?.(first),
      onError(code) {
        if (!NOT_FOUND.has(code) || rest.length === 0) return false;
        askInTurn(client, request, rest, onTaken);
        return true;
      },
    });
  };

  return {
    lookup: {
      kinds: ['resources', 'resourceTemplates'],
      isKnown({ profile }, request) {
        const catalog = catalogs.of(profile);
        const uri = uriIn(request);
        if (uri === STATUS_URI || catalog.find('resources', uri) !== undefined) return true;
        return catalog.findByTemplate(uri).length > 0;
      },
    },
    read(client, request) {
      const uri = uriIn(request);
      if (uri !== STATUS_URI) return askInTurn(client, request, candidates(client, uri));
      const contents = [{ uri, mimeType: 'application/json', text: status() }];
      request.reply(resultText(request.idText, { contents }));
    },
    subscribe(client, request) {
      const uri = uriIn(request);
      askInTurn(client, request, candidates(client, uri), ({ member, uri: own }) => {
        client.subscriptions.set(uri, { upstream: member.upstream, uri: own });
      });
    },
    unsubscribe(client, request) {
      const uri = uriIn(request);
      const subscribed = client.subscriptions.get(uri);
      client.subscriptions.delete(uri);
      if (subscribed === undefined) return askInTurn(client, request, candidates(client, uri));
      const { upstream, uri: own } = subscribed;
      // Another client still listens to it there.
      if (isSubscribed(upstream, own, clients, client)) return request.reply(resultText(request.idText, {}));
      relayRequest(client, upstream, request, { edits: [{ path: ['params', 'uri'], text: JSON.stringify(own) }] });
    },
  };
}

/** What servers answer to a URI that they do not know. */
const NOT_FOUND = new Set([-32002, -32602, -32601, -32603]);

function offersResources({ upstream }: Member): boolean {
  return upstream.state.kind === 'ready' && isObject(upstream.facts?.capabilities['resources']);
}

function uriIn({ message: { params }, method }: ClientRequest): string {
  const uri = isObject(params) ? params['uri'] : undefined;
  if (typeof uri !== 'string') throw new AppError('INVALID_PARAMS', `${method} needs params.uri.`);
  return uri;
}

function notFound(uri: string): AppError {
  return new AppError('RESOURCE_NOT_FOUND', `Resource not found: ${uri}`, { data: { uri } });
}
