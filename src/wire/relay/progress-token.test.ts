import { expect, test } from 'vitest';
import { progressTokenText } from './progress-token.ts';

test.each([
  ['0', '0'],
  ['""', '""'],
  ['-1', '-1'],
  ['"a\\/\\"é"', '"a/\\"é"'],
  ['9007199254740993', '9007199254740993'],
  ['1e400', '1e400'],
  ['1.50', '1.50'],
  ['null', undefined],
  ['true', undefined],
  ['[1]', undefined],
])('the progress token %s is %s', (token, text) => {
  const line = `{"params":{"_meta":{"progressToken":1},"_meta":{"progressToken":${token}}}}`;
  expect(progressTokenText(JSON.parse(line), [Buffer.from(line)])).toBe(text);
});

test.each(['{}', '{"params":[]}', '{"params":{"_meta":null}}', '{"params":{"_meta":{}}}'])(
  '%s has no progress token',
  (line) => {
    expect(progressTokenText(JSON.parse(line), [Buffer.from(line)])).toBeUndefined();
  },
);
