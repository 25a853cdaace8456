import { isCodex } from '../../schema/profiles/codex-client.ts';
import type { Frame } from '../../wire/frame.ts';
import { type OutgoingMessage, outgoingText } from '../../wire/json/splice.ts';
import { wellFormedJson } from '../../wire/json/well-formed-json.ts';
import { checkJson, MAX_DEPTH } from '../../wire/json-check/json-check.ts';

/** The JSON that a client's parser accepts. A client that drops a response would wait until its own timeout. */
export interface ParserLimits {
  /** How deep a message may be nested, envelope included. */
  readonly maxDepth: number;
  /** Whether a string may contain an escaped lone surrogate. */
  readonly acceptsLoneSurrogates: boolean;
}

export const DEFAULT_LIMITS: ParserLimits = { maxDepth: MAX_DEPTH, acceptsLoneSurrogates: true };

/** Codex parses with serde_json, which rejects the 128th level and every lone surrogate; Codex then drops the line. */
const SERDE_LIMITS: ParserLimits = { maxDepth: 127, acceptsLoneSurrogates: false };

export function parserLimitsOf(clientInfo: unknown): ParserLimits {
  return isCodex(clientInfo) ? SERDE_LIMITS : DEFAULT_LIMITS;
}

/**
 * Returns the message in a form that this client can parse: lone surrogates become U+FFFD if it rejects them. Returns
 * undefined if the message is nested too deep. Unchanged results do not need this: they are checked when they arrive.
 */
export function toParsable(
  message: OutgoingMessage,
  { maxDepth, acceptsLoneSurrogates }: ParserLimits,
): OutgoingMessage | undefined {
  const bytes = typeof message === 'string' ? message.length : message.bytes;
  // Each level takes at least two bytes, so a short message cannot be too deep.
  if (acceptsLoneSurrogates && bytes <= 2 * maxDepth) return message;
  const { depth, hasLoneSurrogates } = checkJson(toFrame(message));
  if (depth > maxDepth) return undefined;
  return hasLoneSurrogates && !acceptsLoneSurrogates ? wellFormedJson(outgoingText(message)) : message;
}

function toFrame(message: OutgoingMessage): Frame {
  const pieces = typeof message === 'string' ? [message] : message.pieces;
  return pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece));
}
