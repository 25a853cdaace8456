import { type Frame, frameBytes } from '../frame.ts';
import { rawMember } from '../json/scan.ts';
import type { JsonRpcMessage } from '../messages.ts';

/** The id of a request exactly as it came, so that the answer carries the same. */
export function idTextOf({ id }: JsonRpcMessage, frame: Frame): string {
  if (typeof id === 'number' && Number.isSafeInteger(id) && !Object.is(id, -0)) return String(id);
  return rawMember(frameBytes(frame), 'id') ?? JSON.stringify(id) ?? 'null';
}

/** The id of something that is no proper request, or only its beginning, if it has one that can be answered to. */
export function salvageIdText(frame: Frame): string {
  const bytes = frameBytes(frame);
  const raw = rawMember(bytes, 'id') ?? BEGINNING.exec(bytes.toString('utf8', 0, 256))?.[1] ?? 'null';
  return isId(raw) ? raw : 'null';
}

/** It goes into the answer as it is, so it must be JSON itself: `01` and `"\2"` are not. */
function isId(raw: string): boolean {
  try {
    const id: unknown = JSON.parse(raw);
    return typeof id === 'string' || typeof id === 'number';
  } catch {
    return false;
  }
}

/** As nearly every client writes it: the id before the rest. */
const BEGINNING = /^\{"(?:jsonrpc":"2\.0","|method":"[\w/]+","jsonrpc":"2\.0",")?id":("(?:[^"\\]|\\.)*"|-?\d+),"/;
