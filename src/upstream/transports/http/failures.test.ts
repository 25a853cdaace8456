import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { connectionFailure, isUnheard, readableText, statusFailure } from './failures.ts';

const failed = (code: string | undefined, message = 'it broke') => Object.assign(new Error(message), { code });
/** The head of an answer, as much of it as is looked at. */
const answered = (statusCode: number, headers: Record<string, string> = {}, statusMessage = '') =>
  ({ statusCode, statusMessage, headers }) as unknown as IncomingMessage;

describe('a connection that did not come about', () => {
  test.each([
    ['ECONNREFUSED', 'a.test:1: nothing answers at this address (ECONNREFUSED)'],
    ['ENOTFOUND', 'a.test:1: no such host is known (ENOTFOUND)'],
    ['EAI_AGAIN', 'a.test:1: the name of the host cannot be looked up just now (EAI_AGAIN)'],
    ['EHOSTUNREACH', 'a.test:1: the host cannot be reached (EHOSTUNREACH)'],
    ['ETIMEDOUT', 'a.test:1: nothing answered in time (ETIMEDOUT)'],
  ])('%s is told in words, and nothing was heard', (code, message) => {
    const error = failed(code);
    expect(connectionFailure(error, 'a.test:1')).toMatchObject({ code: 'UNREACHABLE', message, cause: error });
    expect(isUnheard(error)).toBe(true);
  });

  test.each([
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'CERT_HAS_EXPIRED',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'ERR_TLS_CERT_ALTNAME_INVALID',
  ])('%s says what to do about the certificate, and nothing was heard', (code) => {
    const error = failed(code);
    expect(connectionFailure(error, 'a.test')).toMatchObject({
      code: 'UNREACHABLE',
      message: `a.test: its certificate is not accepted (${code}). If it is signed by an authority of your own, name that by NODE_EXTRA_CA_CERTS`,
    });
    expect(isUnheard(error)).toBe(true);
  });
});

describe('a connection that broke', () => {
  test.each([
    ['ECONNRESET', 'a.test cut the connection before it had answered (ECONNRESET). Try again'],
    ['EPIPE', 'a.test cut the connection before it had answered (EPIPE). Try again'],
    [undefined, 'a.test: socket hang up'],
  ])('%s may have been heard', (code, message) => {
    const error = failed(code, 'socket\u001b[31m hang up');
    expect(connectionFailure(error, 'a.test')).toMatchObject({ code: 'CONNECTION_CLOSED', message });
    expect(isUnheard(error)).toBe(false);
  });

  test('a code that an object has from its ancestors means nothing', () => {
    const error = failed('constructor');
    expect(connectionFailure(error, 'a.test')).toMatchObject({
      code: 'CONNECTION_CLOSED',
      message: 'a.test: it broke',
    });
    expect(isUnheard(error)).toBe(false);
  });
});

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
    expect(statusFailure(answered(status), 'a.test', '')).toMatchObject({
      code,
      message: `a.test answered HTTP ${status}.`,
      data: { status },
    });
  });

  test('its words are told, in one harmless line', () => {
    const response = answered(500, { 'content-type': 'text/plain' }, 'Internal\u001b[2J Server Error');
    expect(statusFailure(response, 'a.test', '\u001b[31mno\nspace\u001b]52;c;ZXZpbA==\u0007 left').message).toBe(
      'a.test answered HTTP 500 Internal Server Error: no space left',
    );
  });

  test('of a page its title alone', () => {
    const page = `<html><head><title> Bad\u001b[31m Gateway </title></head>${'x'.repeat(1000)}</html>`;
    expect(statusFailure(answered(502, { 'content-type': 'text/html' }), 'a.test', page).message).toBe(
      'a.test answered HTTP 502: Bad Gateway',
    );
  });

  test('how long it asks to wait is told', () => {
    const response = answered(503, { 'retry-after': '120\u001b[31m' }, 'Service Unavailable');
    expect(statusFailure(response, 'a.test', '').message).toBe(
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
