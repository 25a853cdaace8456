import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns';
import * as http from 'node:http';
import * as https from 'node:https';
import type { LookupFunction } from 'node:net';
import { VERSION } from '../base/version.ts';
import { createProxyAgent, proxyFor } from './proxy.ts';
import { checkResolvedAddress } from './url-policy.ts';

export interface GuardedRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  readonly configuredUrl: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Sends one request to a URL that `checkUrl` allowed. Its connection is used for nothing else. */
export function sendGuarded(request: GuardedRequest): http.ClientRequest {
  const { url, method, signal, body } = request;
  const proxy = proxyFor(url, request.env);
  const headers: Record<string, string> = {
    accept: 'application/json',
    // Without this header a server may compress its response in any way.
    'accept-encoding': 'identity',
    'user-agent': `switchboard/${VERSION}`,
    ...request.headers,
  };
  if (body !== undefined) headers['content-length'] = String(Buffer.byteLength(body));
  const send = url.protocol === 'https:' ? https.request : http.request;
  const connection =
    proxy === undefined
      ? { agent: false, lookup: guardedLookup(url.hostname, request.configuredUrl) }
      : { agent: createProxyAgent(url, proxy, { keepAlive: false }) };
  const sent = send(url, { method, signal, headers, ...connection });
  sent.end(body);
  return sent;
}

/** Fails if any of the resolved addresses is refused, because we cannot know which of them will be used. */
function guardedLookup(hostname: string, configuredUrl: string): LookupFunction {
  return (name, options, callback) => {
    lookup(name, { ...options, all: true }, (error, found: LookupAddress[]) => {
      if (error !== null) return callback(error, '', 0);
      try {
        for (const { address } of found) checkResolvedAddress(address, hostname, configuredUrl);
      } catch (refusal) {
        return callback(refusal as NodeJS.ErrnoException, '', 0);
      }
      if (options.all === true) return callback(null, found);
      const [first] = found;
      callback(null, first?.address ?? '', first?.family);
    });
  };
}
