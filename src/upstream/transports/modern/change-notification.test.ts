import { expect, test } from 'vitest';
import { frameText } from '../../../wire/frame.ts';
import { toLegacyNotification } from './change-notification.ts';

const KEY = '"io.modelcontextprotocol/subscriptionId":"listen-1"';

test.each([
  [
    `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{${KEY}}}}`,
    '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}',
  ],
  [
    `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a://b","_meta":{${KEY},"own":1}}}`,
    '{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a://b","_meta":{"own":1}}}',
  ],
])('the id of the subscription is removed from %s', (line, expected) => {
  expect(convert(line)).toBe(expected);
});

test.each([
  '{ "method":"notifications/resources/updated","params":{"uri":"a://b","big":9007199254740993} }',
  '{"method":"notifications/tools/list_changed","params":{"_meta":{"own":1}}}',
  'no message',
])('%s is delivered as received', (line) => {
  expect(convert(line)).toBe(line);
});

test.each([
  `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{${KEY}}}}`,
  '{"jsonrpc":"2.0","id":"listen-1","result":{}}',
])('%s is not delivered', (line) => {
  expect(convert(line)).toBeUndefined();
});

function convert(line: string): string | undefined {
  const frame = toLegacyNotification([Buffer.from(line)]);
  return frame && frameText(frame);
}
