import { tryParseJson } from '../../../base/text/is-json.ts';
import { type Frame, frameBytes, frameIncludes } from '../../../wire/frame.ts';
import { rawMember, scanMembers } from '../../../wire/json/scan.ts';
import { isObject } from '../../../wire/messages.ts';
import type { InputRequired } from './input-requests.ts';

/** Returns the input that a response requires; undefined for any other response or message. */
export function readInputRequired(frame: Frame): InputRequired | undefined {
  // Nearly no response contains this text, so most need no parsing.
  if (!frameIncludes(frame, RESULT_TYPE)) return undefined;
  const bytes = frameBytes(frame);
  const result = resultOf(bytes);
  if (result?.['resultType'] !== 'input_required') return undefined;
  const text = Buffer.from(rawMember(bytes, 'result') ?? '{}');
  const asked = Buffer.from((isObject(result['inputRequests']) ? rawMember(text, 'inputRequests') : undefined) ?? '{}');
  const members = scanMembers(asked) ?? [];
  return {
    requests: new Map(members.map(({ key, start, end }) => [key, asked.toString('utf8', start, end)])),
    stateText: rawMember(text, 'requestState'),
  };
}

const RESULT_TYPE = 'input_required';

function resultOf(bytes: Buffer): Readonly<Record<string, unknown>> | undefined {
  // The reader of the response reports what is wrong with it.
  const message = tryParseJson(bytes.toString('utf8'));
  const result = isObject(message) ? message['result'] : undefined;
  return isObject(result) ? result : undefined;
}
