import type { Redactor } from '../../base/redaction/redact.ts';
import { redactJson } from '../../base/redaction/redact-json.ts';
import { type Frame, frameText } from '../../wire/frame.ts';
import { isObject, type JsonRpcMessage } from '../../wire/messages.ts';

export interface ReceivedNotification {
  readonly message: JsonRpcMessage;
  readonly frame: Frame;
}

/**
 * Masks the secrets that a server repeats in a log message or progress; returns the same bytes if it repeats none.
 * Other notifications have no text for people.
 */
export function redactNotification(
  notification: ReceivedNotification,
  { redactValues }: Redactor,
): ReceivedNotification {
  const { message, frame } = notification;
  if (!WITH_TEXT.has(String(message.method))) return notification;
  const text = frameText(frame);
  const masked = redactJson(text, redactValues);
  if (masked === text) return notification;
  const read: unknown = JSON.parse(masked);
  const params = isObject(read) && isObject(read['params']) ? read['params'] : {};
  return { message: { ...message, params }, frame: [Buffer.from(masked)] };
}

const WITH_TEXT: ReadonlySet<string> = new Set(['notifications/message', 'notifications/progress']);
