import { toJsonRpcError } from '../../../base/error-translation.ts';
import { AppError } from '../../../base/errors.ts';
import { type Frame, frameBytes } from '../../../wire/frame.ts';
import { rawMember } from '../../../wire/json/scan.ts';
import { errorText } from '../../../wire/messages.ts';

/**
 * The key of an event stream contains the id of its request. A client may resume a stream that this process does not
 * know, because an earlier one was killed. It gets an error for that request instead of waiting for its timeout.
 */
export function toKeyPart(idText: string | undefined): string {
  return idText === undefined || idText.length > MAX_ID_CHARS ? '' : `.${Buffer.from(idText).toString('base64url')}`;
}

/** Longer ids make the event ids too long. Their requests are not answered. */
const MAX_ID_CHARS = 120;

/** Returns the id of a request as JSON; undefined for a batch. */
export function idTextIn(body: Frame): string | undefined {
  return rawMember(frameBytes(body), 'id');
}

/** Returns the response to the request of a stream that is lost. Undefined if its key does not name one. */
export function lostResponse(key: string): string | undefined {
  const [, part] = /^[0-9a-f]+r\d+\.([\w-]+)$/.exec(key) ?? [];
  const idText = part === undefined ? undefined : Buffer.from(part, 'base64url').toString();
  if (idText === undefined || !isId(idText)) return undefined;
  return errorText(idText, toJsonRpcError(new AppError('OUTCOME_UNKNOWN', LOST, { data: { retryable: false } })));
}

const LOST =
  'The response to this request is lost, because the server was restarted. The server may have done this; check before repeating.';

function isId(text: string): boolean {
  try {
    const id: unknown = JSON.parse(text);
    return typeof id === 'string' || typeof id === 'number';
  } catch {
    // The client has made it up.
    return false;
  }
}
