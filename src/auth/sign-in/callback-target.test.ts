import { expect, test } from 'vitest';
import { emptyRecord } from '../store/auth-record.ts';
import { chooseCallbackTarget } from './callback-target.ts';

const url = 'https://mcp.example/mcp';
const options = {
  url,
  settings: undefined,
  metadataUrl: undefined,
  callbackPort: undefined,
  server: { issuer: 'https://as.example', client_id_metadata_document_supported: true },
  record: undefined,
};
const remembered = (redirectUri: string) => ({ ...options, record: { ...emptyRecord(url), redirectUri } });
const secret = `/callback/${'0a'.repeat(16)}`;
const SECRET = /^\/callback\/[0-9a-f]{32}$/;

test('chooses an unguessable path and a stable port per server the first time', () => {
  const [first, second] = [chooseCallbackTarget(options), chooseCallbackTarget(options)];
  expect(first.path).toMatch(SECRET);
  expect(second.path).not.toBe(first.path);
  expect(second.ports).toEqual(first.ports);
  expect(first.ports).toEqual([expect.any(Number), 0]);
  expect(first.ports[0]).toBeGreaterThanOrEqual(20_000);
  expect(first.ports[0]).toBeLessThan(30_000);
  expect(chooseCallbackTarget({ ...options, url: 'https://other.example/mcp' }).ports).not.toEqual(first.ports);
});

test('reuses the previous path and port if possible', () => {
  const [stable] = chooseCallbackTarget(options).ports;
  expect(chooseCallbackTarget(remembered(`http://127.0.0.1:44273${secret}`))).toEqual({
    path: secret,
    ports: [44_273, stable, 0],
  });
});

test('uses a fixed path for a preregistered client', () => {
  const settings = {
    authorizationUrl: undefined,
    tokenUrl: undefined,
    registrationUrl: undefined,
    clientId: 'ours',
    clientSecret: undefined,
    clientSecretEnv: undefined,
    scope: undefined,
  };
  expect(chooseCallbackTarget({ ...options, settings }).path).toBe('/callback');
  expect(chooseCallbackTarget({ ...remembered(`http://127.0.0.1:44273${secret}`), settings }).path).toBe('/callback');
  expect(chooseCallbackTarget({ ...options, metadataUrl: 'https://we.example/client.json' }).path).toBe('/callback');
  const server = { issuer: 'https://as.example' };
  expect(chooseCallbackTarget({ ...options, server, metadataUrl: 'https://we.example/client.json' }).path).toMatch(
    SECRET,
  );
});

test.each(['http://127.0.0.1:44273/callback', 'http://127.0.0.1:44273/callback/../x'])(
  'reuses the port but not the guessable path of %s',
  (redirectUri) => {
    const place = chooseCallbackTarget(remembered(redirectUri));
    expect([place.path, place.ports[0]]).toEqual([expect.stringMatching(SECRET), 44_273]);
  },
);

test.each(['http://evil.example:80/callback', 'https://127.0.0.1:1/callback', 'http://127.0.0.1/callback', 'nonsense'])(
  'ignores %s as a redirect URI',
  (redirectUri) => {
    expect(chooseCallbackTarget(remembered(redirectUri)).ports).toEqual(chooseCallbackTarget(options).ports);
  },
);

test('uses only the requested port', () => {
  expect(chooseCallbackTarget({ ...remembered(`http://127.0.0.1:44273${secret}`), callbackPort: 5000 })).toEqual({
    path: secret,
    ports: [5000],
  });
});
