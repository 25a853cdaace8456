import { describe, expect, test } from 'vitest';
import { ID, refusalOf, secretsIn, useWorlds } from './login-harness.ts';

const newWorld = useWorlds();

describe('a server that names its authorization server', () => {
  test('with an extra slash after the host can sign in, refresh and sign in again', async () => {
    const world = await newWorld({ server: { issuerSuffix: '/' } });
    await world.signIn();
    expect(await world.call(world.credentials(), 'whoami')).toBe('alice');
    world.store.update(ID, (record) => record && { ...record, expiresAt: 1, discovery: undefined });
    expect(await world.call(world.credentials(), 'whoami')).toBe('alice');
    expect(world.authorizationServer.requests['token:refresh_token']).toBe(1);
    await world.signIn();
    expect(world.authorizationServer.requests['registration']).toBe(1);
  });

  test.each(['//', '/x', '/.', '/%2f', '?', '#', '/?a', '.'])('with an extra %s is rejected', async (issuerSuffix) => {
    const world = await newWorld({ server: { issuerSuffix } });
    expect(await refusalOf(world.signIn())).toMatchObject({ code: expect.any(String) });
    expect(world.authorizationServer.requests).not.toHaveProperty('visit');
    expect(world.authorizationServer.requests).not.toHaveProperty('registration');
  });

  test('with an extra slash is rejected if the iss in the callback has another one', async () => {
    const world = await newWorld({
      server: { issuerSuffix: '/' },
      authorizationServer: {
        changeCallback: (callback) => callback.searchParams.set('iss', `${callback.searchParams.get('iss')}/`),
      },
    });
    expect((await refusalOf(world.signIn())).code).toBe('DENIED');
    expect(secretsIn(world.stored())).toEqual([]);
  });
});
