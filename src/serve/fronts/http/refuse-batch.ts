import type { Frame } from '../../../wire/frame.ts';
import { type Refusal, refuseWithStatus } from './refusal.ts';

/** Refuses a batch, because the limits would count all its requests as one. Returns undefined for any other body. */
export function refuseBatch(body: Frame, protocolVersion: string): Refusal | undefined {
  return protocolVersion >= FIRST_WITHOUT_BATCHES && isBatch(body) ? NO_BATCHES : undefined;
}

/** Clients of older protocol versions may send batches. */
const FIRST_WITHOUT_BATCHES = '2025-06-18';

const NO_BATCHES = refuseWithStatus(
  400,
  `Since protocol version ${FIRST_WITHOUT_BATCHES}, a body is a single message. Send each message of the batch in its own request.`,
);

/** The body of a message begins with a brace, possibly after spaces. */
function isBatch([first]: Frame): boolean {
  const start = first?.findIndex((byte) => byte !== SPACE && byte !== TAB) ?? -1;
  return first?.[start] === OPEN_BRACKET;
}

const SPACE = 32;
const TAB = 9;
const OPEN_BRACKET = 91;
