import { describe, expect, test } from 'vitest';
import { parsePastedCallback } from './wait-for-callback.ts';

const redirectUri = 'http://127.0.0.1:4000/callback/secret';
const pending = { url: 'https://as.example', state: 'right', verifier: 'v', redirectUri, scope: undefined };
const whole = `${redirectUri}?code=c&state=right&iss=x`;

describe('pasted text', () => {
  test.each([whole, ` ${whole} `, `${whole}#`, whole.replace('127.0.0.1', 'localhost'), '?code=c&state=right&iss=x'])(
    '%j is the callback',
    (text) => {
      const callback = parsePastedCallback(text, pending);
      expect([callback?.origin, callback?.pathname, callback?.search]).toEqual([
        'http://127.0.0.1:4000',
        '/callback/secret',
        '?code=c&state=right&iss=x',
      ]);
    },
  );

  test.each([
    '',
    '   ',
    'c',
    'right',
    'https://as.example/?code=c&state=right',
    whole.replace('4000', '4001'),
    whole.replace('secret', 'other'),
    whole.replace('right', 'wrong'),
    whole.replace('&state=right', ''),
    `${whole}&state=right`,
    whole.replace('http:', 'https:'),
    `javascript:alert(1)//${whole}`,
    'http://[',
  ])('%j is not', (text) => {
    expect(parsePastedCallback(text, pending)).toBeUndefined();
  });
});
