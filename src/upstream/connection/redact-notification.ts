import type { Redactor } from '../../base/redaction/redact.ts';
import { maskJson } from '../../base/redaction/redact-json.ts';
import { type Frame, frameText } from '../../wire/frame.ts';
import { type Incoming, isObject } from '../../wire/messages.ts';

export interface ReadNotification {
  readonly message: Incoming;
  readonly frame: Frame;
}

/**
 * A log message or progress without the secrets that its server repeats; the same bytes when it repeats none. Other
 * notifications have no text for people.
 */
export function redactNotification(notification: ReadNotification, { redactValues }: Redactor): ReadNotification {
  const { message, frame } = notification;
  if (!SAYS_SOMETHING.has(String(message.method))) return notification;
  const text = frameText(frame);
  const masked = maskJson(text, redactValues);
  if (masked === text) return notification;
  const read: unknown = JSON.parse(masked);
  const params = isObject(read) && isObject(read['params']) ? read['params'] : {};
  return { message: { ...message, params }, frame: [Buffer.from(masked)] };
}

const SAYS_SOMETHING: ReadonlySet<string> = new Set(['notifications/message', 'notifications/progress']);
