import { VERSION } from '../../../../base/version.ts';

type Headers = Readonly<Record<string, string>>;
type Method = 'POST' | 'GET' | 'DELETE';

/** Builds the headers of requests to one origin. As a flat list they are sent unchanged, and Node adds none. */
export type HeaderList = (method: Method, headers: Headers) => readonly string[];

/** Creates the header list of an origin. `configured` are the headers from the config, which every request has. */
export function createHeaderList(host: string, configured: Headers): HeaderList {
  const fixed = ['host', host, ...flatten({ ...DEFAULT_HEADERS, ...lowerCased(configured) })];
  // Consecutive requests usually have the same headers.
  let last: { readonly method: Method; readonly headers: Headers; readonly list: readonly string[] } | undefined;
  return (method, headers) => {
    if (last?.headers === headers && last.method === method) return last.list;
    last = { method, headers, list: [...fixed, ...METHOD_HEADERS[method], ...flatten(headers)] };
    return last.list;
  };
}

const DEFAULT_HEADERS = { 'user-agent': `switchboard/${VERSION}`, 'accept-encoding': 'identity' };

const METHOD_HEADERS: Readonly<Record<Method, readonly string[]>> = {
  POST: ['content-type', 'application/json', 'accept', 'application/json, text/event-stream'],
  GET: ['accept', 'text/event-stream'],
  DELETE: [],
};

/** Converts the list to an object, for agents that add headers of their own. */
export function toHeaders(list: readonly string[]): Headers {
  const headers: Record<string, string> = {};
  for (let at = 0; at < list.length; at += 2) headers[list[at] ?? ''] = list[at + 1] ?? '';
  return headers;
}

function lowerCased(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function flatten(headers: Headers): readonly string[] {
  const list: string[] = [];
  for (const name in headers) list.push(name, headers[name] ?? '');
  return list;
}
