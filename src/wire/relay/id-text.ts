import { type Frame, frameBytes } from '../frame.ts';
import { rawMember } from '../json/scan.ts';
import type { JsonRpcMessage } from '../messages.ts';

/** Returns the id of a request exactly as received, so that the response repeats it. */
export function idTextOf({ id }: JsonRpcMessage, frame: Frame): string {
  if (typeof id === 'number' && Number.isSafeInteger(id) && !Object.is(id, -0)) return String(id);
  return rawMember(frameBytes(frame), 'id') ?? JSON.stringify(id) ?? 'null';
}

/** Returns the id of a malformed or truncated request, or `null` if it has none that a response could repeat. */
export function salvageIdText(frame: Frame): string {
  const bytes = frameBytes(frame);
  const raw = rawMember(bytes, 'id') ?? BEGINNING.exec(bytes.toString('utf8', 0, 256))?.[1] ?? 'null';
  return isId(raw) ? raw : 'null';
}

/** The response repeats the id unchanged, so it must be JSON itself: `01` and `"\2"` are not. */
function isId(raw: string): boolean {
  try {
    const id: unknown = JSON.parse(raw);
    return typeof id === 'string' || typeof id === 'number';
  } catch {
    return false;
  }
}

/** The form that nearly every client writes: the id before the params. */
const BEGINNING = /^\{"(?:jsonrpc":"2\.0","|method":"[\w/]+","jsonrpc":"2\.0",")?id":("(?:[^"\\]|\\.)*"|-?\d+),"/;
