import type { IncomingMessage } from 'node:http';

/**
 * Returns the name of a header that decides about the request and is present more than once. Node and a proxy in front
 * of us may choose different ones, so that the proxy would check another request than the one that we answer.
 */
export function findRepeatedHeader({ headers, rawHeaders }: IncomingMessage): string | undefined {
  // Nearly every request: no header is repeated at all.
  if (Object.keys(headers).length * 2 === rawHeaders.length) return undefined;
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? '';
    if (!isSingle(name)) continue;
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}

function isSingle(name: string): boolean {
  return SINGLE.has(name) || name.startsWith('mcp-');
}

const SINGLE: ReadonlySet<string> = new Set([
  'authorization',
  'content-type',
  'host',
  'last-event-id',
  'origin',
  'transfer-encoding',
]);
