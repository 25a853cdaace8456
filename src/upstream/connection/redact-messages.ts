import type { Redactor } from '../../base/redaction/redact.ts';
import { type Frame, frameText } from '../../wire/frame.ts';
import { outgoingText, spliceMembers } from '../../wire/json/splice.ts';
import { errorText, type Incoming, isObject } from '../../wire/messages.ts';

export interface ReadAnswer {
  readonly message: Incoming;
  readonly frame: Frame;
}

/**
 * An error answer without the secrets that its server repeats; the same bytes when it repeats none. Results are never
 * changed. In `data`, which programs read, only known values are masked.
 */
export function redactAnswer(answer: ReadAnswer, redactor: Redactor): ReadAnswer {
  const { message, frame } = answer;
  if (message.error === undefined || message.error === null) return answer;
  const text = frameText(frame);
  const masked = redactor.redactValues(text);
  const withoutValues = masked === text ? answer : readAgain(masked, answer);
  return redactMessage(withoutValues, redactor);
}

function readAgain(masked: string, { message }: ReadAnswer): ReadAnswer {
  try {
    const read: unknown = JSON.parse(masked);
    if (isObject(read) && isObject(read['error']))
      return { message: { ...read, id: message.id }, frame: toFrame(masked) };
  } catch {
    // A secret that looks like JSON itself stood in it.
  }
  const code = isObject(message.error) ? Number(message.error['code']) : 0;
  const error = { code, message: 'The server repeated a secret in its error, which is therefore not shown.' };
  return { message: { ...message, error }, frame: toFrame(errorText(JSON.stringify(message.id), error)) };
}

function redactMessage(answer: ReadAnswer, { redact }: Redactor): ReadAnswer {
  const { message, frame } = answer;
  const said = isObject(message.error) ? message.error['message'] : undefined;
  if (!isObject(message.error) || typeof said !== 'string') return answer;
  const shown = redact(said);
  if (shown === said) return answer;
  const error = { ...message.error, message: shown };
  const spliced = spliceMembers(frame, [{ path: ['error', 'message'], text: JSON.stringify(shown) }]);
  const text = spliced === undefined ? errorText(JSON.stringify(message.id), error as never) : outgoingText(spliced);
  return { message: { ...message, error }, frame: toFrame(text) };
}

function toFrame(text: string): Frame {
  return [Buffer.from(text)];
}
