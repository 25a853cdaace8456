import { describe, expect, test } from 'vitest';
import { ID, refusalOf, secretsIn, useTestbeds } from './login-harness.ts';

const newTestbed = useTestbeds();

describe('a server that names its authorization server', () => {
  test('with an extra slash after the host can sign in, refresh and sign in again', async () => {
    const testbed = await newTestbed({ server: { issuerSuffix: '/' } });
    await testbed.signIn();
    expect(await testbed.call(testbed.credentials(), 'whoami')).toBe('alice');
    testbed.store.update(ID, (record) => record && { ...record, expiresAt: 1, discovery: undefined });
    expect(await testbed.call(testbed.credentials(), 'whoami')).toBe('alice');
    expect(testbed.authorizationServer.requests['token:refresh_token']).toBe(1);
    await testbed.signIn();
    expect(testbed.authorizationServer.requests['registration']).toBe(1);
  });

  test.each(['//', '/x', '/.', '/%2f', '?', '#', '/?a', '.'])('with an extra %s is rejected', async (issuerSuffix) => {
    const testbed = await newTestbed({ server: { issuerSuffix } });
    expect(await refusalOf(testbed.signIn())).toMatchObject({ code: expect.any(String) });
    expect(testbed.authorizationServer.requests).not.toHaveProperty('visit');
    expect(testbed.authorizationServer.requests).not.toHaveProperty('registration');
  });

  test('with an extra slash is rejected if the iss in the callback has another one', async () => {
    const testbed = await newTestbed({
      server: { issuerSuffix: '/' },
      authorizationServer: {
        changeCallback: (callback) => callback.searchParams.set('iss', `${callback.searchParams.get('iss')}/`),
      },
    });
    expect((await refusalOf(testbed.signIn())).code).toBe('DENIED');
    expect(secretsIn(testbed.stored())).toEqual([]);
  });
});
