import { expect, test } from 'vitest';
import { classifyFailureMessage } from './turn-failure.ts';

test.each([
  ['unexpected status 401 Unauthorized: scripted, url: http://127.0.0.1/v1/responses', 'auth', 401],
  ['exceeded retry limit, last status: 429 Too Many Requests', 'rate_limit', 429],
  ['unexpected status 503 Service Unavailable: {}', 'overloaded', 503],
  ['unexpected status 404 Not Found: no such model', 'bad_request', 404],
  ['We’re currently experiencing high demand, which may cause temporary errors.', 'overloaded', undefined],
  ['Selected model is at capacity. Please try a different model.', 'overloaded', undefined],
  ["Codex ran out of room in the model's context window. Start a new thread.", 'context_window', undefined],
  ['Quota exceeded. Check your plan and billing details.', 'usage_limit', undefined],
  ["You've hit your usage limit. Try again at 3:05 PM.", 'usage_limit', undefined],
  ['rate limit exceeded: Rate limit reached. Please try again in 1.5s', 'rate_limit', undefined],
  ['stream disconnected before completion: error sending request', 'network', undefined],
  ['bad prompt', 'other', undefined],
])('%s', (message, kind, httpStatus) => {
  expect(classifyFailureMessage(message)).toEqual({ kind, message, ...(httpStatus !== undefined && { httpStatus }) });
});
