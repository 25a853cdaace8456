import { describe, expect, test } from 'vitest';
import { ID, refusalOf, secretsIn, useWorlds } from './login-harness.ts';

const newWorld = useWorlds();

describe('a server that names its authorization server', () => {
  test('with a slash after the host, which that one leaves out: sign-in, refresh and sign-in again work', async () => {
    const world = await newWorld({ server: { issuerSuffix: '/' } });
    await world.signIn();
    expect(await world.call(world.credentials(), 'whoami')).toBe('alice');
    world.store.update(ID, (record) => record && { ...record, expiresAt: 1, discovery: undefined });
    expect(await world.call(world.credentials(), 'whoami')).toBe('alice');
    expect(world.authorizationServer.requests['token:refresh_token']).toBe(1);
    await world.signIn();
    expect(world.authorizationServer.requests['registration']).toBe(1);
  });

  test.each(['//', '/x', '/.', '/%2f', '?', '#', '/?a', '.'])(
    'with %s behind it is not believed',
    async (issuerSuffix) => {
      const world = await newWorld({ server: { issuerSuffix } });
      expect(await refusalOf(world.signIn())).toMatchObject({ code: expect.any(String) });
      expect(world.authorizationServer.requests).not.toHaveProperty('visit');
      expect(world.authorizationServer.requests).not.toHaveProperty('registration');
    },
  );

  test('and a callback of it whose iss has another slash is refused', async () => {
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
