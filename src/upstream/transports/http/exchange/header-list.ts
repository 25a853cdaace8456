import { VERSION } from '../../../../base/version.ts';

type Headers = Readonly<Record<string, string>>;
type Method = 'POST' | 'GET' | 'DELETE';

/** Writes the headers of requests to one origin: as a list they go out as they are, and Node adds nothing to it. */
export type HeaderList = (method: Method, headers: Headers) => readonly string[];

/** `own` are those of the config, which every request has. */
export function createHeaderList(host: string, configured: Headers): HeaderList {
  const fixed = ['host', host, ...flatten({ ...DEFAULT_HEADERS, ...lowerCased(configured) })];
  // A conversation has the same ones all the time.
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

/** For those who add some of their own. */
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
