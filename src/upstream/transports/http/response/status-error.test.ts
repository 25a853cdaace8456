import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { readableText, toStatusError } from './status-error.ts';

/** The parts of a response head that the code reads. */
const answered = (statusCode: number, headers: Record<string, string> = {}, statusMessage = '') =>
  ({ statusCode, statusMessage, headers }) as unknown as IncomingMessage;

const detailsFor = (beginning: string) => ({ where: 'a.test', beginning, redact: (text: string) => text });

describe('an HTTP error response', () => {
  test.each([
    [400, 'HTTP_FAILED'],
    [403, 'HTTP_FAILED'],
    [404, 'HTTP_FAILED'],
    [408, 'UNREACHABLE'],
    [429, 'UNREACHABLE'],
    [500, 'UNREACHABLE'],
    [503, 'UNREACHABLE'],
  ])('with status %i has the code %s', (status, code) => {
    expect(toStatusError(answered(status), detailsFor(''))).toMatchObject({
      code,
      message: `a.test answered HTTP ${status}.`,
      data: { status },
    });
  });

  test('is quoted on one line without control characters', () => {
    const response = answered(500, { 'content-type': 'text/plain' }, 'Internal\u001b[2J Server Error');
    expect(toStatusError(response, detailsFor('\u001b[31mno\nspace\u001b]52;c;ZXZpbA==\u0007 left')).message).toBe(
      'a.test answered HTTP 500 Internal Server Error: no space left',
    );
  });

  test('of an HTML page is reduced to its title', () => {
    const page = `<html><head><title> Bad\u001b[31m Gateway </title></head>${'x'.repeat(1000)}</html>`;
    expect(toStatusError(answered(502, { 'content-type': 'text/html' }), detailsFor(page)).message).toBe(
      'a.test answered HTTP 502: Bad Gateway',
    );
  });

  test('includes the requested delay', () => {
    const response = answered(503, { 'retry-after': '120\u001b[31m' }, 'Service Unavailable');
    expect(toStatusError(response, detailsFor('')).message).toBe(
      'a.test answered HTTP 503 Service Unavailable. Retry-After: 120.',
    );
  });
});

describe('the readable text of a body', () => {
  test.each([
    ['plain words', undefined, 'plain words'],
    ['{"error":"no"}', 'application/json', '{"error":"no"}'],
    ['x'.repeat(300), 'text/plain', `${'x'.repeat(199)}…`],
    ['<p>no title</p>', 'text/html', ''],
    ['  <!doctype html><TITLE lang="en">Sign in</TITLE>', undefined, 'Sign in'],
    ['', undefined, ''],
  ])('of %j with type %s', (text, type, expected) => {
    expect(readableText(text, type)).toBe(expected);
  });
});
