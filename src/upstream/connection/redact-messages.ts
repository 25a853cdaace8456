import type { Redactor } from '../../base/redaction/redact.ts';
import { redactJson } from '../../base/redaction/redact-json.ts';
import { type Frame, frameText } from '../../wire/frame.ts';
import { outgoingText, spliceMembers } from '../../wire/json/splice.ts';
import { errorText, isObject, type JsonRpcMessage } from '../../wire/messages.ts';

export interface ReceivedMessage {
  readonly message: JsonRpcMessage;
  readonly frame: Frame;
}

/**
 * Masks the secrets that a server repeats in an error response; returns the same bytes if it repeats none. Results are
 * never changed. In `data`, which programs read, only known values are masked.
 */
export function redactErrorResponse(response: ReceivedMessage, redactor: Redactor): ReceivedMessage {
  const { message, frame } = response;
  if (message.error === undefined || message.error === null) return response;
  const text = frameText(frame);
  const masked = redactor.redactValues(text);
  const withoutValues = masked === text ? response : parseRedacted(masked, response);
  return redactErrorMessage(withoutValues, redactor);
}

function parseRedacted(masked: string, { message }: ReceivedMessage): ReceivedMessage {
  try {
    const read: unknown = JSON.parse(masked);
    if (isObject(read) && isObject(read['error']))
      return { message: { ...read, id: message.id }, frame: toFrame(masked) };
  } catch {
    // The text contained a secret that is itself JSON syntax.
  }
  const code = isObject(message.error) ? Number(message.error['code']) : 0;
  const error = { code, message: 'The server repeated a secret in its error, which is therefore not shown.' };
  return { message: { ...message, error }, frame: toFrame(errorText(JSON.stringify(message.id), error)) };
}

function redactErrorMessage(response: ReceivedMessage, { redact }: Redactor): ReceivedMessage {
  const { message, frame } = response;
  const original = isObject(message.error) ? message.error['message'] : undefined;
  if (!isObject(message.error) || typeof original !== 'string') return response;
  const redacted = redact(original);
  if (redacted === original) return response;
  const error = { ...message.error, message: redacted };
  const spliced = spliceMembers(frame, [{ path: ['error', 'message'], text: JSON.stringify(redacted) }]);
  const text = spliced === undefined ? errorText(JSON.stringify(message.id), error as never) : outgoingText(spliced);
  return { message: { ...message, error }, frame: toFrame(text) };
}

/**
 * Masks the secrets that a server repeats in a log message or progress; returns the same bytes if it repeats none.
 * Other notifications have no text for people.
 */
export function redactNotification(notification: ReceivedMessage, { redactValues }: Redactor): ReceivedMessage {
  const { message, frame } = notification;
  if (!WITH_TEXT.has(String(message.method))) return notification;
  const text = frameText(frame);
  const masked = redactJson(text, redactValues);
  if (masked === text) return notification;
  const read: unknown = JSON.parse(masked);
  const params = isObject(read) && isObject(read['params']) ? read['params'] : {};
  return { message: { ...message, params }, frame: toFrame(masked) };
}

const WITH_TEXT: ReadonlySet<string> = new Set(['notifications/message', 'notifications/progress']);

function toFrame(text: string): Frame {
  return [Buffer.from(text)];
}
