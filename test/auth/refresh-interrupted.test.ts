import { describe, expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { useGatewayWorlds, wordsOf } from './gateway-world.ts';
import { ID, refusalOf } from './login-harness.ts';

const newWorld = useGatewayWorlds(trackProcesses());
type World = Awaited<ReturnType<typeof newWorld>>;

describe('a gateway killed after the refresh token was replaced and before the new one is stored', () => {
  test('loses nothing if the old token is accepted once more: the next gateway is signed in', async () => {
    const world = await expiredWorld({ refreshReuseSeconds: 600 });
    const old = world.stored()?.['refresh_token'];
    await killDuringRefresh(world);
    expect(world.stored()).toMatchObject({ refresh_token: old, refresh_started_at: expect.any(Number) });
    const next = await world.openGateway();
    expect(wordsOf(await next.call('notes__whoami'))).toBe('alice');
    expect(world.stored()).not.toHaveProperty('refresh_started_at');
    expect([world.stored()?.['refresh_token'] === old, refreshesOf(world)]).toEqual([false, [2, undefined]]);
  });

  test('loses the sign-in if reuse counts as theft, which is reported once with the login command', async () => {
    const world = await expiredWorld();
    await killDuringRefresh(world);
    const next = await world.openGateway();
    const lost =
      /^1003 notes \(127\.0\.0\.1:\d+\) needs you to sign in: its last token refresh was interrupted before the new tokens were stored, and the old ones are no longer accepted\. Run: switchboard mcp login notes$/;
    expect(wordsOf(await next.call('notes__whoami'))).toMatch(lost);
    expect([refreshesOf(world), world.stored()?.['refresh_token']]).toEqual([[1, 1], undefined]);
    const third = await world.run('mcp', 'call', 'notes.whoami', '--direct');
    expect([third.status, refreshesOf(world)]).toEqual([3, [1, 1]]);
    await world.login();
    expect(world.stored()).not.toHaveProperty('refresh_started_at');
    expect(wordsOf(await (await world.openGateway()).call('notes__whoami'))).toBe('alice');
  });
});

describe('a pending refresh', () => {
  test.each([
    ['when the client disconnects', (gateway: Gateway) => gateway.endInput()],
    ['when the gateway receives SIGTERM', (gateway: Gateway) => gateway.kill('SIGTERM')],
  ])('%s is finished and stored', async (_, leave) => {
    const world = await newWorld();
    await world.login();
    // Its catalog is now cached, so clients do not wait for its list.
    const first = await world.openGateway();
    first.endInput();
    await first.exited;
    expire(world);
    const gateway = world.startGateway();
    world.authorizationServer.beforeRefreshAnswer(async () => {
      leave(gateway);
      // The response arrives after everything else has ended.
      await pauseMs(1_000);
    });
    hello(gateway);
    await gateway.exited;
    world.authorizationServer.beforeRefreshAnswer(undefined);
    expect(world.stored()).not.toHaveProperty('refresh_started_at');
    expect(wordsOf(await (await world.openGateway()).call('notes__whoami'))).toBe('alice');
    expect(refreshesOf(world)).toEqual([1, undefined]);
  });
});

test('a refresh that is temporarily rejected is no interruption', async () => {
  const world = await expiredWorld();
  world.authorizationServer.setDown(true);
  await refusalOf(Promise.resolve(world.credentials().authorization()));
  expect(world.stored()).not.toHaveProperty('refresh_started_at');
  world.authorizationServer.setDown(false);
  expect(await world.call(world.credentials(), 'whoami')).toBe('alice');
  expect(refreshesOf(world)).toEqual([1, undefined]);
});

type Gateway = ReturnType<World['startGateway']>;

async function expiredWorld(authorizationServer: { readonly refreshReuseSeconds?: number } = {}): Promise<World> {
  const world = await newWorld({ authorizationServer });
  await world.login();
  expire(world);
  return world;
}

function expire({ store }: World): void {
  store.update(ID, (record) => record && { ...record, expiresAt: Date.now() - 1000 });
}

async function killDuringRefresh(world: World): Promise<void> {
  const gateway = world.startGateway();
  world.authorizationServer.beforeRefreshAnswer(async () => {
    gateway.kill('SIGKILL');
    await gateway.exited;
  });
  hello(gateway);
  expect((await gateway.exited).signal).toBe('SIGKILL');
  world.authorizationServer.beforeRefreshAnswer(undefined);
}

function hello(gateway: Gateway): void {
  const clientInfo = { name: 'test', version: '1' };
  gateway.post('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  gateway.send({ method: 'notifications/initialized' });
}

/** The refreshes that the authorization server accepted and refused. */
function refreshesOf({ authorizationServer: { requests } }: World): readonly unknown[] {
  return [requests['token:refresh_token'], requests['token:refresh_token:failed']];
}

function pauseMs(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
