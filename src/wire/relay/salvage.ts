import { type Frame, frameBytes } from '../frame.ts';

/**
 * Yields the places where a message may begin in an invalid line: programs print text, or half a message, without a
 * line break, and the next message follows on the same line. Long lines are not searched.
 */
export function* findMessageStarts(frame: Frame): Generator<Buffer> {
  const bytes = frameBytes(frame);
  if (bytes.length > MAX_BYTES) return;
  let at = bytes.indexOf(BEGINNING);
  for (let count = 0; at !== -1 && count < MAX_BEGINNINGS; count++) {
    yield bytes.subarray(at);
    at = bytes.indexOf(BEGINNING, at + 1);
  }
}

/** Returns the id of a response that is not JSON, or is truncated, if it is where nearly every server writes it. */
export function salvageResponseId(frame: Frame): number | undefined {
  const [first] = frame;
  const last = frame.at(-1);
  if (first === undefined || last === undefined) return undefined;
  return readLeadingId(first) ?? (hasTrailingId(first) ? readTrailingId(last) : undefined);
}

/** Reads the id from the first bytes of a response that has its id before its result. */
export function readLeadingId(beginning: Buffer): number | undefined {
  return toId(ID_FIRST.exec(beginning.toString('latin1', 0, EDGE_BYTES)));
}

/** Returns whether these are the first bytes of a response that has its id after its result. */
export function hasTrailingId(beginning: Buffer): boolean {
  return RESULT_FIRST.test(beginning.toString('latin1', 0, EDGE_BYTES));
}

export function readTrailingId(ending: Buffer): number | undefined {
  return toId(ID_LAST.exec(ending.toString('latin1', Math.max(0, ending.length - EDGE_BYTES))));
}

function toId(found: RegExpExecArray | null): number | undefined {
  return found?.[1] === undefined ? undefined : Number(found[1]);
}

const EDGE_BYTES = 128;
const VERSION = '"jsonrpc"\\s*:\\s*"2\\.0"\\s*';
const OWN_ID = '"id"\\s*:\\s*"?(\\d{1,15})"?\\s*';
const ID_FIRST = new RegExp(
  `^\\s*\\{\\s*(?:${VERSION},\\s*)?${OWN_ID},\\s*(?:${VERSION},\\s*)?"(?:result|error)"\\s*:`,
);
const RESULT_FIRST = new RegExp(`^\\s*\\{\\s*(?:${VERSION},\\s*)?"(?:result|error)"\\s*:`);
const ID_LAST = new RegExp(`,\\s*${OWN_ID}(?:,\\s*${VERSION})?\\}\\s*$`);

const BEGINNING = '{"jsonrpc":"2.0"';
const MAX_BYTES = 1024 * 1024;
const MAX_BEGINNINGS = 16;
