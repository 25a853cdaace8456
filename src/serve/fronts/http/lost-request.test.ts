import { expect, test } from 'vitest';
import { idTextIn, lostResponse, toKeyPart } from './lost-request.ts';

const body = (text: string) => [Buffer.from(text)];

test.each(['7', '"a"', '0', '""', '"\\u00fc-1"'])('the id %s survives in the key of a stream', (idText) => {
  const id = idTextIn(body(`{"jsonrpc":"2.0","id":${idText},"method":"tools/call"}`));
  const response = JSON.parse(lostResponse(`0123abcdr1${toKeyPart(id)}`) ?? '');
  expect(response).toMatchObject({ id: JSON.parse(idText), error: { data: { retryable: false } } });
  expect(response.error.message).toContain('check before repeating');
});

test.each(['[{"id":1}]', 'x', '{"method":"a"}'])('the body %s has no id', (text) => {
  expect(idTextIn(body(text))).toBeUndefined();
});

test.each([
  '0123abcdr1',
  '0123abcds',
  '0123abcdr1.bnVsbA',
  '0123abcdr1.e30',
  `0123abcdr1${toKeyPart(`"${'x'.repeat(200)}"`)}`,
])('the key %s names no request', (key) => {
  expect(lostResponse(key)).toBeUndefined();
});
