import { expect, test } from 'vitest';
import { readAccept } from './accept.ts';

test.each([
  [undefined, true, true],
  ['application/json, text/event-stream', true, true],
  ['text/event-stream;q=0.9, application/json', true, true],
  ['*/*', true, true],
  ['application/json', true, false],
  ['text/event-stream', false, true],
  ['text/html', false, false],
])('the header %j accepts JSON: %j, and events: %j', (header, json, events) => {
  expect(readAccept(header)).toEqual({ json, events });
});
