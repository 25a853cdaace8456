import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { type RedirectedRequest, readRedirect } from './redirect-policy.ts';

const url = new URL('https://mcp.example.com/mcp');
const get = { url, method: 'GET', redirects: 0, canRepeatBody: false, canLeaveOrigin: false };

function refusalOf(statusCode: number, location: string, request: Partial<RedirectedRequest>) {
  const response = { statusCode, headers: { location } } as IncomingMessage;
  const redirect = readRedirect(response, { ...get, ...request });
  return redirect && (redirect.refusal ?? redirect.location);
}

describe('a redirect', () => {
  test.each([
    ['a GET within the origin is followed', 302, '/other', {}, 'https://mcp.example.com/other'],
    ['a GET to another origin is not', 302, 'https://other.example.com/', {}, 'not-followed'],
    ['but it is if the caller checks it', 302, 'https://b.example/', { canLeaveOrigin: true }, 'https://b.example/'],
    ['a POST is not repeated', 308, '/other', { method: 'POST' }, 'not-followed'],
    ['but it is if it may be', 308, '/b', { method: 'POST', canRepeatBody: true }, 'https://mcp.example.com/b'],
    ['a POST never becomes a GET', 302, '/b', { method: 'POST', canRepeatBody: true }, 'not-followed'],
    [
      'a POST never leaves its origin',
      307,
      'https://b.example/',
      { method: 'POST', canRepeatBody: true, canLeaveOrigin: true },
      'not-followed',
    ],
    ['the third one is followed', 307, '/b', { redirects: 2 }, 'https://mcp.example.com/b'],
    ['the fourth one is not', 307, '/b', { redirects: 3 }, 'too-many'],
    ['a location that is no URL leads nowhere', 307, 'https://[', {}, 'not-followed'],
  ])('%s', (_, status, location, request, expected) => {
    expect(refusalOf(status, location, request)).toBe(expected);
  });

  test.each([
    ['another status', 200, '/b'],
    ['a cached response', 304, '/b'],
  ])('is not: %s', (_, status, location) => {
    expect(refusalOf(status, location, {})).toBeUndefined();
  });

  test('is not: a response without a location', () => {
    expect(readRedirect({ statusCode: 302, headers: {} } as IncomingMessage, get)).toBeUndefined();
  });
});
