import { toJsonRpcError } from '../../base/error-translation.ts';
import { AppError } from '../../base/errors.ts';
import { scanElements } from '../json/scan.ts';
import { errorText, isObject } from '../messages.ts';

/** Called with the response to one message; with undefined if there is none. */
export type Reply = (text: string | undefined) => void;

/** Returns the bytes of a message as received. Needed only for an id that `JSON.parse` cannot represent. */
export type GetRawBytes = () => Buffer;

/** A larger batch is refused as a whole, because its responses would be far larger than the batch itself. */
export const MAX_BATCH_MESSAGES = 10_000;

/** Limit on all responses to a batch together. A response that would exceed it is replaced with an error. */
const MAX_BATCH_LENGTH = 64 * 1024 * 1024;

export interface BatchHandlers {
  /** Handles one message and calls its reply, now or later. */
  readonly dispatch: (message: unknown, raw: GetRawBytes, reply: Reply) => void;
  readonly reply: Reply;
}

/** Handles a batch, as MCP 2025-03-26 allowed them. The responses are sent together, when the last one is ready. */
export function receiveBatch(batch: readonly unknown[], text: string, { dispatch, reply }: BatchHandlers) {
  if (batch.length === 0) return reply(invalidBatch('A batch must not be empty.'));
  if (batch.length > MAX_BATCH_MESSAGES)
    return reply(invalidBatch(`A batch may have at most ${MAX_BATCH_MESSAGES} messages.`));
  const responses: string[] = [];
  let remaining = batch.length;
  let length = 0;
  const collect = (response: string | undefined, id: unknown) => {
    const fits = length + (response?.length ?? 0) <= MAX_BATCH_LENGTH;
    if (response !== undefined) responses.push(fits ? response : batchTooLarge(id));
    length += fits ? (response?.length ?? 0) : 0;
    remaining--;
    if (remaining === 0) reply(responses.length > 0 ? `[${responses.join(',')}]` : undefined);
  };
  const raw = rawElements(text);
  for (const [index, message] of batch.entries()) {
    const id = isObject(message) ? message['id'] : undefined;
    dispatch(
      message,
      () => raw(index),
      once((response) => collect(response, id)),
    );
  }
}

function batchTooLarge(id: unknown): string {
  const error = new AppError('BUSY', 'The responses to this batch are too large together. Send this request alone.');
  return errorText(JSON.stringify(id) ?? 'null', toJsonRpcError(error));
}

/** Splits the text on first use, because almost no message needs its bytes. */
function rawElements(text: string): (index: number) => Buffer {
  let elements: readonly Buffer[] | undefined;
  return (index) => {
    if (elements === undefined) {
      const bytes = Buffer.from(text);
      elements = scanElements(bytes).map(({ start, end }) => bytes.subarray(start, end));
    }
    return elements[index] ?? Buffer.alloc(0);
  };
}

/** Ignores the second reply: a cancelled request replies when it is cancelled and again when its handler ends. */
function once(reply: Reply): Reply {
  let isDone = false;
  return (text) => {
    if (isDone) return;
    isDone = true;
    reply(text);
  };
}

function invalidBatch(message: string): string {
  return errorText('null', toJsonRpcError(new AppError('INVALID_REQUEST', message)));
}
