import { describe, expect, test } from 'vitest';
import { isUndelivered, toConnectionError } from './connection-error.ts';

const failed = (code: string | undefined, message = 'it broke') => Object.assign(new Error(message), { code });

describe('a connection that did not come about', () => {
  test.each([
    ['ECONNREFUSED', 'a.test:1: nothing answers at this address (ECONNREFUSED)'],
    ['ENOTFOUND', 'a.test:1: no such host is known (ENOTFOUND)'],
    ['EAI_AGAIN', 'a.test:1: the name of the host cannot be looked up just now (EAI_AGAIN)'],
    ['EHOSTUNREACH', 'a.test:1: the host cannot be reached (EHOSTUNREACH)'],
    ['ETIMEDOUT', 'a.test:1: nothing answered in time (ETIMEDOUT)'],
  ])('%s is told in words, and nothing was heard', (code, message) => {
    const error = failed(code);
    expect(toConnectionError(error, 'a.test:1')).toMatchObject({ code: 'UNREACHABLE', message, cause: error });
    expect(isUndelivered(error)).toBe(true);
  });

  test.each([
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'CERT_HAS_EXPIRED',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'ERR_TLS_CERT_ALTNAME_INVALID',
  ])('%s says what to do about the certificate, and nothing was heard', (code) => {
    const error = failed(code);
    expect(toConnectionError(error, 'a.test')).toMatchObject({
      code: 'UNREACHABLE',
      message: `a.test: its certificate is not accepted (${code}). If it is signed by an authority of your own, name that by NODE_EXTRA_CA_CERTS`,
    });
    expect(isUndelivered(error)).toBe(true);
  });
});

describe('a connection that broke', () => {
  test.each([
    ['ECONNRESET', 'a.test cut the connection before it had answered (ECONNRESET). Try again'],
    ['EPIPE', 'a.test cut the connection before it had answered (EPIPE). Try again'],
    [undefined, 'a.test: socket hang up'],
  ])('%s may have been heard', (code, message) => {
    const error = failed(code, 'socket\u001b[31m hang up');
    expect(toConnectionError(error, 'a.test')).toMatchObject({ code: 'CONNECTION_CLOSED', message });
    expect(isUndelivered(error)).toBe(false);
  });

  test('a code that an object has from its ancestors means nothing', () => {
    const error = failed('constructor');
    expect(toConnectionError(error, 'a.test')).toMatchObject({
      code: 'CONNECTION_CLOSED',
      message: 'a.test: it broke',
    });
    expect(isUndelivered(error)).toBe(false);
  });
});
