import { type Frame, frameBytes } from './frame.ts';
import type { Incoming } from './messages.ts';
import { rawMember } from './scan.ts';

/** The id of a request exactly as it came, so that the answer carries the same. */
export function idTextOf({ id }: Incoming, frame: Frame): string {
  if (typeof id === 'number' && Number.isSafeInteger(id) && !Object.is(id, -0)) return String(id);
  return rawMember(frameBytes(frame), 'id') ?? JSON.stringify(id) ?? 'null';
}

/** The id of something that is no proper request, if it has one that can be answered to. */
export function idTextOfBroken(frame: Frame): string {
  const raw = rawMember(frameBytes(frame), 'id') ?? 'null';
  return /^["\-\d]/.test(raw) ? raw : 'null';
}
