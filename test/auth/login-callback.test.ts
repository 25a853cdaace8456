import { request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import { openCallbackListener } from '../../src/auth/sign-in/callback-listener.ts';
import { browse, refusalOf, secretsIn, type Testbed, useTestbeds } from './login-harness.ts';

const newTestbed = useTestbeds();

describe('the callback listener', () => {
  test('rejects other requests, and keeps waiting', async () => {
    const listener = await openCallbackListener({ path: '/callback/secret', ports: [0] });
    try {
      const { port } = new URL(listener.redirectUri);
      const good = '/callback/secret?state=right&code=c';
      expect((await ask(port, { path: good })).status).toBe(410);
      const received = listener.wait('right');
      const statuses: Record<string, number> = {};
      const attempts: Readonly<Record<string, Asked>> = {
        'another path': { path: '/callback/other?state=right&code=c' },
        'a path below': { path: '/callback/secret/x?state=right&code=c' },
        'no path': { path: '/?state=right&code=c' },
        'an address that is none': { path: '//' },
        'a whole address': { path: 'http://evil.example/callback/secret?state=right&code=c' },
        'another host': { path: good, host: 'evil.example' },
        'another port in the host': { path: good, host: '127.0.0.1:1' },
        'no host': { path: good, host: null },
        'another method': { path: good, method: 'POST' },
        'a look at it': { path: good, method: 'HEAD' },
        'a wrong state': { path: '/callback/secret?state=wrong&code=c' },
        'no state': { path: '/callback/secret?code=c' },
        'two states': { path: '/callback/secret?state=right&state=wrong&code=c' },
        'an error with a wrong state': { path: '/callback/secret?state=x&error=e&error_description=Call%20me' },
      };
      for (const [name, asked] of Object.entries(attempts)) {
        const { status, body } = await ask(port, asked);
        statuses[name] = status;
        expect(body).not.toContain('Call me');
      }
      expect(statuses).toEqual({
        'another path': 404,
        'a path below': 404,
        'no path': 404,
        'an address that is none': 404,
        'a whole address': 404,
        'another host': 403,
        'another port in the host': 403,
        'no host': 400,
        'another method': 405,
        'a look at it': 405,
        'a wrong state': 400,
        'no state': 400,
        'two states': 400,
        'an error with a wrong state': 400,
      });
      const answer = await ask(port, { path: good, host: `localhost:${port}` });
      expect(answer.status).toBe(200);
      expect(answer.headers).toEqual(
        expect.objectContaining({
          'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
          'cache-control': 'no-store',
          'referrer-policy': 'no-referrer',
          'content-type': 'text/html; charset=utf-8',
          connection: 'close',
        }),
      );
      expect(answer.body).not.toMatch(/<script|right|=c/);
      expect((await received).href).toBe(`${listener.redirectUri}?state=right&code=c`);
      expect((await ask(port, { path: good })).status).toBe(410);
    } finally {
      listener.close();
    }
  });

  test('listens only on this machine, ends all connections on close, and may be closed twice', async () => {
    const listener = await openCallbackListener({ path: '/callback', ports: [0] });
    const { port } = new URL(listener.redirectUri);
    const others = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    for (const { address } of others.filter(({ internal, family }) => !internal && family === 'IPv4'))
      await expect(ask(port, { path: '/', address })).rejects.toThrow();
    const hanging = ask(port, { path: '/callback', method: 'POST', isOpen: true });
    listener.close();
    listener.close();
    await expect(Promise.race([hanging, ask(port, { path: '/' })])).rejects.toThrow();
  });

  test('tries the next port if one is in use, and reports if none is left', async () => {
    const first = await openCallbackListener({ path: '/callback', ports: [0] });
    const port = Number(new URL(first.redirectUri).port);
    const second = await openCallbackListener({ path: '/callback', ports: [port, 0] });
    expect(new URL(second.redirectUri).port).not.toBe(String(port));
    const none = await refusalOf(openCallbackListener({ path: '/callback', ports: [port] }));
    expect(none).toEqual({
      code: 'BUSY',
      message: expect.stringMatching(/another program is using it.*--callback-port/),
    });
    first.close();
    second.close();
  });
});

describe('a callback', () => {
  test.each([
    [
      'from another authorization server (iss)',
      (callback: URL) => callback.searchParams.set('iss', 'https://evil.example'),
    ],
    ['without an issuer (no iss)', (callback: URL) => callback.searchParams.delete('iss')],
    [
      'from another authorization server, with an error',
      (callback: URL) => {
        callback.searchParams.set('iss', 'https://evil.example');
        callback.searchParams.delete('code');
        callback.searchParams.set('error', 'x');
        callback.searchParams.set('error_description', 'Call this number');
      },
    ],
  ])('%s ends the sign-in, without showing its text or using its code', async (_, changeCallback) => {
    const testbed = await newTestbed({ authorizationServer: { changeCallback } });
    const { code, message } = await refusalOf(testbed.signIn());
    expect(code).toBe('DENIED');
    expect(message).not.toMatch(/evil|Call this/);
    expect(tokenRequests(testbed)).toEqual([]);
    expect(secretsIn(testbed.stored())).toEqual([]);
  });

  test('with an error of the right authorization server is reported in its words', async () => {
    const testbed = await newTestbed({
      authorizationServer: {
        changeCallback: (callback) => {
          callback.searchParams.delete('code');
          callback.searchParams.set('error', 'access_denied');
          callback.searchParams.set('error_description', 'Your\u001b[31m account is locked');
        },
      },
    });
    const { code, message } = await refusalOf(testbed.signIn());
    expect([code, message.includes('access_denied'), message.includes('\u001b')]).toEqual(['DENIED', true, false]);
  });

  test('with a wrong or missing state does not end the wait, but the right one does', async () => {
    const testbed = await newTestbed();
    const statuses: number[] = [];
    const record = await testbed.signIn({
      show: async (url) => {
        const callback = await testbed.authorizationServer.followRedirects(url);
        for (const change of [
          (wrong: URL) => wrong.searchParams.set('state', 'wrong'),
          (wrong: URL) => wrong.searchParams.delete('state'),
        ]) {
          const wrong = new URL(callback);
          change(wrong);
          statuses.push((await fetch(wrong)).status);
        }
        statuses.push((await fetch(callback)).status);
      },
    });
    expect([statuses, tokenRequests(testbed)]).toEqual([[400, 400, 200], ['token:authorization_code']]);
    expect(record.accessToken).toEqual(expect.any(String));
  });

  test('that arrives twice counts once', async () => {
    const testbed = await newTestbed();
    let callback = new URL('http://127.0.0.1');
    let second: number | undefined;
    await testbed.signIn({
      show: async (url) => {
        callback = await testbed.authorizationServer.followRedirects(url);
        const answers = await Promise.allSettled([fetch(callback), fetch(callback)]);
        second = answers.filter((answer) => answer.status === 'fulfilled' && answer.value.status === 200).length;
      },
    });
    expect([second, testbed.authorizationServer.requests['token:authorization_code']]).toEqual([1, 1]);
    await expect(fetch(callback)).rejects.toThrow();
  });

  test('of an earlier sign-in is rejected in a later one', async () => {
    const testbed = await newTestbed();
    let old = new URL('http://127.0.0.1');
    const stop = new AbortController();
    const show = async (url: string) => {
      old = await testbed.authorizationServer.followRedirects(url);
      stop.abort();
    };
    expect((await refusalOf(testbed.signIn({ show, signal: stop.signal }))).code).toBe('CANCELLED');
    let status: number | undefined;
    await testbed.signIn({
      show: async (url) => {
        status = (await fetch(old)).status;
        await browse(url);
      },
    });
    expect([status, testbed.authorizationServer.requests['token:authorization_code']]).toEqual([400, 1]);
  });
});

describe('an unfinished sign-in', () => {
  test('keeps the client for the next one, and leaves no listener', async () => {
    const testbed = await newTestbed();
    const stop = new AbortController();
    let address = '';
    const show = (url: string) => {
      address = url;
      stop.abort();
    };
    expect((await refusalOf(testbed.signIn({ show, signal: stop.signal }))).code).toBe('CANCELLED');
    const redirect = new URL(address).searchParams.get('redirect_uri') ?? '';
    await expect(fetch(redirect)).rejects.toThrow();
    expect(testbed.stored()).toEqual(expect.objectContaining({ redirect_uri: redirect, issuer: expect.any(String) }));
    await testbed.signIn();
    expect(testbed.authorizationServer.requests['registration']).toBe(1);
  });

  test('keeps the existing sign-in', async () => {
    const testbed = await newTestbed();
    await testbed.signIn();
    const before = testbed.stored();
    const stop = new AbortController();
    await refusalOf(testbed.signIn({ show: () => stop.abort(), signal: stop.signal }));
    expect(testbed.stored()).toEqual(before);
    expect(await testbed.call(testbed.credentials(), 'whoami')).toBe('alice');
  });

  test('is cancelled if it cannot be shown', async () => {
    const testbed = await newTestbed();
    const show = () => Promise.reject(new Error('no screen'));
    expect((await refusalOf(testbed.signIn({ show }))).message).toBe('no screen');
  });
});

function tokenRequests({ authorizationServer }: Testbed): string[] {
  return Object.keys(authorizationServer.requests).filter((name) => name.startsWith('token:'));
}

interface Asked {
  readonly path: string;
  /** Null: no value. */
  readonly host?: string | null;
  readonly method?: string;
  readonly address?: string;
  /** Sends a body that never ends. */
  readonly isOpen?: boolean;
}

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

function ask(
  port: string,
  { path, host, method = 'GET', address = '127.0.0.1', isOpen = false }: Asked,
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const headers = typeof host === 'string' ? { host } : {};
    const setHost = host !== null;
    const asked = request({ host: address, port, path, method, headers, setHost, timeout: 20_000 }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    asked.on('error', reject);
    asked.on('timeout', () => asked.destroy(new Error('no answer')));
    if (isOpen) asked.write('x');
    else asked.end();
  });
}
