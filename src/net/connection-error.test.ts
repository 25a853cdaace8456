import { describe, expect, test } from 'vitest';
import { isUndelivered, toConnectionError } from './connection-error.ts';

const failed = (code: string | undefined, message = 'it broke') => Object.assign(new Error(message), { code });

describe('a failed connection attempt', () => {
  test.each([
    ['ECONNREFUSED', 'a.test:1: nothing answers at this address (ECONNREFUSED)'],
    ['ENOTFOUND', 'a.test:1: no such host is known (ENOTFOUND)'],
    ['EAI_AGAIN', 'a.test:1: the host name cannot be resolved at the moment (EAI_AGAIN)'],
    ['EHOSTUNREACH', 'a.test:1: the host cannot be reached (EHOSTUNREACH)'],
    ['ETIMEDOUT', 'a.test:1: nothing answered in time (ETIMEDOUT)'],
  ])('with %s is described, and the request was not delivered', (code, message) => {
    const error = failed(code);
    expect(toConnectionError(error, 'a.test:1')).toMatchObject({ code: 'UNREACHABLE', message, cause: error });
    expect(isUndelivered(error)).toBe(true);
  });

  test.each([
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'CERT_HAS_EXPIRED',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'ERR_TLS_CERT_ALTNAME_INVALID',
  ])('with %s explains what to do about the certificate, and the request was not delivered', (code) => {
    const error = failed(code);
    expect(toConnectionError(error, 'a.test')).toMatchObject({
      code: 'UNREACHABLE',
      message: `a.test: its certificate is not accepted (${code}). If your own authority signed it, set NODE_EXTRA_CA_CERTS to the certificate of that authority`,
    });
    expect(isUndelivered(error)).toBe(true);
  });
});

describe('a broken connection', () => {
  test.each([
    ['ECONNRESET', 'a.test closed the connection before it answered (ECONNRESET)'],
    ['EPIPE', 'a.test closed the connection before it answered (EPIPE)'],
    [undefined, 'a.test: socket hang up'],
  ])('with %s may have delivered the request', (code, message) => {
    const error = failed(code, 'socket\u001b[31m hang up');
    expect(toConnectionError(error, 'a.test')).toMatchObject({ code: 'CONNECTION_CLOSED', message });
    expect(isUndelivered(error)).toBe(false);
  });

  test('ignores an inherited property as an error code', () => {
    const error = failed('constructor');
    expect(toConnectionError(error, 'a.test')).toMatchObject({
      code: 'CONNECTION_CLOSED',
      message: 'a.test: it broke',
    });
    expect(isUndelivered(error)).toBe(false);
  });
});
