import type { IncomingMessage } from 'node:http';

/**
 * Returns the name of a repeated header that must be unique. Node and a proxy in front of us may use different values,
 * so the proxy would check a different request from the one that we answer.
 */
export function findRepeatedHeader({ headers, rawHeaders }: IncomingMessage): string | undefined {
  // Fast path: no header is repeated, as in nearly every request.
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
