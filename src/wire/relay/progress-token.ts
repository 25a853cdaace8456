import { type Frame, frameBytes } from '../frame.ts';
import { rawMember } from '../json/scan.ts';
import { isObject, type JsonRpcMessage } from '../messages.ts';

/** Returns the progress token of a request as JSON text that means the same to its sender; undefined if it has none. */
export function progressTokenText({ params }: JsonRpcMessage, frame: Frame): string | undefined {
  const meta = isObject(params) ? params['_meta'] : undefined;
  const token = isObject(meta) ? meta['progressToken'] : undefined;
  if (typeof token === 'string' || Number.isSafeInteger(token)) return JSON.stringify(token);
  // The parser may have rounded this number, so it is copied from the bytes.
  return typeof token === 'number' ? rawAt(frameBytes(frame), ['params', '_meta', 'progressToken']) : undefined;
}

function rawAt(bytes: Buffer, [key = '', ...rest]: readonly string[]): string | undefined {
  const raw = rawMember(bytes, key);
  return raw === undefined || rest.length === 0 ? raw : rawAt(Buffer.from(raw), rest);
}
