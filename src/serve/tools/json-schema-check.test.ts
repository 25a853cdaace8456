import { expect, test } from 'vitest';
import { createJsonSchemaCheck } from './json-schema-check.ts';

const LONE_SURROGATE = '\ud83d';

test('checks a key with a lone surrogate like any other', () => {
  const check = createJsonSchemaCheck({
    type: 'object',
    properties: { known: { type: 'string' } },
    additionalProperties: { type: 'integer' },
  });
  const right = { [LONE_SURROGATE]: 1, '\udc00': 2, known: 'yes' };
  expect(check(right)).toEqual({ value: right });
  expect(check({ [LONE_SURROGATE]: 1, '\udc00': 'two' })).toEqual({
    problems: [expect.stringContaining('expected integer')],
  });
  expect(check({ [LONE_SURROGATE]: 1, known: [{ [LONE_SURROGATE]: 1 }] })).toEqual({
    problems: ['known: expected string, got array'],
  });
});

test('names an unknown key with a lone surrogate', () => {
  const check = createJsonSchemaCheck({ type: 'object', properties: {}, additionalProperties: false });
  expect(check({ [LONE_SURROGATE]: 1 })).toEqual({ problems: ['\ufffd: not known'] });
});
