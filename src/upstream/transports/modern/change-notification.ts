import { tryParseJson } from '../../../base/text/is-json.ts';
import { SUBSCRIPTION_KEY } from '../../../wire/envelope-keys.ts';
import { type Frame, frameText } from '../../../wire/frame.ts';
import { isObject, notificationText } from '../../../wire/messages.ts';

/** The notification that opens a change stream. */
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

/**
 * Returns a message of a change stream as a legacy server would have sent it; undefined for messages that only open or
 * end the stream, of which callers know nothing.
 */
export function toLegacyNotification(frame: Frame): Frame | undefined {
  const message = tryParseJson(frameText(frame));
  // The receiver reports what is not a message.
  if (!isObject(message)) return frame;
  const { method, params } = message;
  if (method === undefined || method === ACKNOWLEDGED) return undefined;
  if (!isObject(params) || !isObject(params['_meta'])) return frame;
  const { _meta, ...members } = params;
  const { [SUBSCRIPTION_KEY]: subscription, ...meta } = params['_meta'];
  if (subscription === undefined) return frame;
  const legacyParams = Object.keys(meta).length === 0 ? members : { ...members, _meta: meta };
  const isEmpty = Object.keys(legacyParams).length === 0;
  return [Buffer.from(notificationText(String(method), isEmpty ? undefined : legacyParams))];
}
