import { AppError, messageOf } from '../../base/errors.ts';
import type { Redactor } from '../../base/redaction/redact.ts';
import { redactError } from '../../base/redaction/redact-error.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import { type Frame, frameBytes } from '../../wire/frame.ts';
import { isObject } from '../../wire/messages.ts';
import { parseFrame } from '../../wire/parse-frame.ts';
import type { RelayPeer } from '../../wire/relay/relay-peer.ts';
import { findMessageStarts, salvageResponseId } from '../../wire/relay/salvage.ts';
import type { PendingRequests } from '../../wire/rpc/pending-requests.ts';
import type { UpstreamCall } from './call.ts';
import { createOversizedMessage } from './oversized-message.ts';

export interface InvalidOutputOptions {
  readonly peer: RelayPeer<UpstreamCall, number | undefined>;
  readonly redactor: Redactor;
  /** Returns true if messages arrive on the stdout of a program. */
  hasStdout(): boolean;
  /** Reports output that is not a message. */
  report(error: AppError): void;
  /** Fails the call with this id, if it is pending. */
  failCall(id: number, error: AppError): void;
  endConnection(error: AppError): void;
}

/** Output of a server that is not a message. A call whose response it contains must not wait until its timeout. */
export interface InvalidOutput {
  /** Handles a frame that is not a message. It may still contain a response. */
  receive(error: AppError, frame: Frame): void;
  /** Handles a message that the transport has skipped. `beginning` holds its first bytes, if known. */
  skipped(error: AppError, beginning: Buffer | undefined): void;
  /** Handles the end of the last oversized message. */
  oversizedEnded(ending: Buffer): void;
  /** Returns one sentence about text that the server printed on stdout; undefined if there is none. */
  describeStray(): string | undefined;
  /**
   * Adds the stray text to the reason, because a process that exits with no reason on stderr may have printed it on
   * stdout.
   */
  explainExit(reason: AppError): AppError;
  /** Called when the connection ends. */
  close(): void;
}

/** Codes for plain text and for JSON that is not a message. */
const STRAY_TEXT_CODES: ReadonlySet<string> = new Set(['PARSE_FAILED', 'INVALID_REQUEST']);

export function createInvalidOutput(options: InvalidOutputOptions): InvalidOutput {
  const { peer, redactor, failCall, endConnection } = options;
  const strayText = createStrayText(redactor);
  const oversized = createOversizedMessage({
    failCall,
    salvage: (ending) => salvage([ending]),
    endConnection,
  });

  /** Finds a complete response after other text, or after a truncated response. */
  const salvage = (frame: Frame): boolean => {
    for (const bytes of findMessageStarts(frame)) {
      // Accept responses only: a server may echo the messages that it reads and writes.
      if (!isPendingResponse(bytes, peer.pending)) continue;
      peer.receive([bytes], undefined);
      return true;
    }
    return false;
  };

  /** The whole frame was read, but it is too large to parse. */
  const tooLarge = (error: AppError, frame: Frame) => {
    const id = salvageResponseId(frame);
    if (id === undefined) endConnection(error);
    else failCall(id, error);
  };

  const failInvalidResponse = (frame: Frame, { cause }: AppError) => {
    const call = peer.pending.take(salvageResponseId(frame));
    if (call === undefined) return;
    const what = `${call.method}: the server sent an answer that is not valid JSON: ${messageOf(cause)}`;
    call.fail(redactError(new AppError('BAD_ANSWER', what, { cause }), redactor));
  };

  return {
    receive(error, frame) {
      if (error.code === 'MESSAGE_TOO_LARGE') return tooLarge(error, frame);
      options.report(error);
      const isResponse = error.code === 'PARSE_FAILED' && salvageResponseId(frame) !== undefined;
      if (options.hasStdout() && STRAY_TEXT_CODES.has(error.code) && !isResponse) strayText.add(frame);
      if (error.code !== 'PARSE_FAILED') return;
      if (isResponse) failInvalidResponse(frame, error);
      if (salvage(frame) || isResponse) return;
      const [first] = findMessageStarts(frame);
      if (first !== undefined) failInvalidResponse([first], error);
    },
    skipped(error, beginning) {
      if (error.code === 'MESSAGE_TOO_LARGE') oversized.begin(error, beginning);
      else options.report(error);
    },
    oversizedEnded: oversized.finish,
    describeStray: strayText.describe,
    explainExit(reason) {
      const stray = strayText.describe();
      if (stray === undefined || reason.code !== 'PROCESS_EXITED' || reason.data?.['lastLine'] !== undefined)
        return reason;
      return new AppError(reason.code, `${reason.message}. ${stray}`, { cause: reason, data: { ...reason.data } });
    },
    close: oversized.close,
  };
}

function isPendingResponse(bytes: Buffer, pending: PendingRequests<UpstreamCall>): boolean {
  try {
    const message = parseFrame([bytes]);
    return isObject(message) && message['method'] === undefined && pending.find(message['id']) !== undefined;
  } catch {
    // Not JSON, as in nearly all cases.
    return false;
  }
}

/** Lines that a program printed on stdout and that are not messages. Keeps the first few. */
interface StrayText {
  add(frame: Frame): void;
  describe(): string | undefined;
}

const MAX_LINES = 3;
const MAX_LINE_LENGTH = 100;
/** Bytes read of a longer line. */
const MAX_READ_BYTES = 2_000;

function createStrayText({ redact }: Redactor): StrayText {
  const lines: string[] = [];
  let count = 0;
  return {
    add(frame) {
      if (lines.length >= MAX_LINES) {
        count++;
        return;
      }
      const line = oneLine(redact(frameBytes(frame).toString('utf8', 0, MAX_READ_BYTES)), MAX_LINE_LENGTH);
      if (line === '') return;
      count++;
      lines.push(line);
    },
    describe() {
      if (count === 0) return undefined;
      const more = count - lines.length;
      const rest = more === 0 ? '' : ` and ${more} more line${more === 1 ? '' : 's'}`;
      return `It prints text on stdout; MCP needs stdout for protocol messages only: ${lines.map((line) => JSON.stringify(line)).join(', ')}${rest}`;
    },
  };
}
