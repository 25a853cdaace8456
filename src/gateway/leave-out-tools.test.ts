import { expect, test } from 'vitest';
import { leaveOutTools } from './leave-out-tools.ts';

const without = (result: string) =>
  leaveOutTools(
    [Buffer.from(`{"jsonrpc":"2.0","id":7,"result":${result}}`)],
    '"mine"',
    (tool) => !/^(?:good|é)/.test(tool),
  );
const answer = (result: string) => `{"jsonrpc":"2.0","id":"mine","result":${result}}`;

test.each([
  [
    'the other tools and members stay as they were written',
    '{"tools":[{"name":"good", "n":1.0},{"name":"bad"} , {"name":"é\\u0000"}],"nextCursor":"c","_meta":{"big":9007199254740993}}',
    '{"tools":[{"name":"good", "n":1.0},{"name":"é\\u0000"}],"nextCursor":"c","_meta":{"big":9007199254740993}}',
  ],
  ['a name with escapes', '{"tools":[{"name":"b\\u0061d"}]}', '{"tools":[]}'],
  ['of two names the last counts', '{"tools":[{"name":"good","name":"bad"}]}', '{"tools":[]}'],
  [
    'an earlier list',
    '{"tools":[{"name":"bad"}],"tools":[{"name":"bad"},{"name":"good"}]}',
    '{"tools":[{"name":"good"}]}',
  ],
  ['a list of another spelling', '{"Tools":[{"name":"bad"}],"tools":[{"name":"bad"}]}', '{"tools":[]}'],
  ['elements that are no tools', '{"tools":[null,{"name":"bad"},5]}', '{"tools":[null,5]}'],
])('leaves hidden tools out: %s', (_, result, expected) => {
  expect(without(result)).toBe(answer(expected));
});

test.each(['{"tools":[{"name":"good"}]}', '{"tools":[]}', '{"tools":5}', '{}', '{"tools":[{"name":5}]}', 'null'])(
  'leaves %s alone',
  (result) => {
    expect(without(result)).toBeUndefined();
  },
);
