import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { readableText, toStatusError } from './status-error.ts';

/** The head of an answer, as much of it as is looked at. */
const answered = (statusCode: number, headers: Record<string, string> = {}, statusMessage = '') =>
  ({ statusCode, statusMessage, headers }) as unknown as IncomingMessage;

const said = (beginning: string) => ({ where: 'a.test', beginning, redact: (text: string) => text });

describe('an answer that no MCP server gives', () => {
  test.each([
    [400, 'HTTP_FAILED'],
    [403, 'HTTP_FAILED'],
    [404, 'HTTP_FAILED'],
    [408, 'UNREACHABLE'],
    [429, 'UNREACHABLE'],
    [500, 'UNREACHABLE'],
    [503, 'UNREACHABLE'],
  ])('HTTP %i is %s', (status, code) => {
    expect(toStatusError(answered(status), said(''))).toMatchObject({
      code,
      message: `a.test answered HTTP ${status}.`,
      data: { status },
    });
  });

  test('its words are told, in one harmless line', () => {
    const response = answered(500, { 'content-type': 'text/plain' }, 'Internal\u001b[2J Server Error');
    expect(toStatusError(response, said('\u001b[31mno\nspace\u001b]52;c;ZXZpbA==\u0007 left')).message).toBe(
      'a.test answered HTTP 500 Internal Server Error: no space left',
    );
  });

  test('of a page its title alone', () => {
    const page = `<html><head><title> Bad\u001b[31m Gateway </title></head>${'x'.repeat(1000)}</html>`;
    expect(toStatusError(answered(502, { 'content-type': 'text/html' }), said(page)).message).toBe(
      'a.test answered HTTP 502: Bad Gateway',
    );
  });

  test('how long it asks to wait is told', () => {
    const response = answered(503, { 'retry-after': '120\u001b[31m' }, 'Service Unavailable');
    expect(toStatusError(response, said('')).message).toBe(
      'a.test answered HTTP 503 Service Unavailable. It asks to wait: Retry-After 120.',
    );
  });
});

describe('what is worth reading of a body', () => {
  test.each([
    ['plain words', undefined, 'plain words'],
    ['{"error":"no"}', 'application/json', '{"error":"no"}'],
    ['x'.repeat(300), 'text/plain', `${'x'.repeat(199)}…`],
    ['<p>no title</p>', 'text/html', ''],
    ['  <!doctype html><TITLE lang="en">Sign in</TITLE>', undefined, 'Sign in'],
    ['', undefined, ''],
  ])('%j as %s', (text, type, expected) => {
    expect(readableText(text, type)).toBe(expected);
  });
});
