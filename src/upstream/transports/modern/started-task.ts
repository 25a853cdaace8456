import { tryParseJson } from '../../../base/text/is-json.ts';
import { type Frame, frameIncludes, frameText } from '../../../wire/frame.ts';
import { isObject } from '../../../wire/messages.ts';

/** Returns the id of the task that a response announces instead of its result. */
export function readStartedTask(frame: Frame): string | undefined {
  // Nearly no response contains this text, so most need no parsing.
  if (!frameIncludes(frame, '"taskId"')) return undefined;
  const message = tryParseJson(frameText(frame));
  const result = isObject(message) ? message['result'] : undefined;
  if (!isObject(result) || result['resultType'] !== 'task') return undefined;
  return typeof result['taskId'] === 'string' ? result['taskId'] : undefined;
}
