import { describe, expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { textOf, useGatewayTestbeds } from './gateway-testbed.ts';
import { ID, refusalOf } from './login-harness.ts';

const newTestbed = useGatewayTestbeds(trackProcesses());
type Testbed = Awaited<ReturnType<typeof newTestbed>>;

describe('a gateway killed after the refresh token was replaced and before the new one is stored', () => {
  test('loses nothing if the old token is accepted once more: the next gateway is signed in', async () => {
    const testbed = await expiredTestbed({ refreshReuseSeconds: 600 });
    const old = testbed.stored()?.['refresh_token'];
    await killDuringRefresh(testbed);
    expect(testbed.stored()).toMatchObject({ refresh_token: old, refresh_started_at: expect.any(Number) });
    const next = await testbed.openGateway();
    expect(textOf(await next.call('notes__whoami'))).toBe('alice');
    expect(testbed.stored()).not.toHaveProperty('refresh_started_at');
    expect([testbed.stored()?.['refresh_token'] === old, refreshesOf(testbed)]).toEqual([false, [2, undefined]]);
  });

  test('loses the sign-in if reuse counts as theft, which is reported once with the login command', async () => {
    const testbed = await expiredTestbed();
    await killDuringRefresh(testbed);
    const next = await testbed.openGateway();
    const lost =
      /^1003 notes \(127\.0\.0\.1:\d+\) needs you to sign in: its last token refresh was interrupted before the new tokens were stored, and the old ones are no longer accepted\. Run: switchboard mcp login notes$/;
    expect(textOf(await next.call('notes__whoami'))).toMatch(lost);
    expect([refreshesOf(testbed), testbed.stored()?.['refresh_token']]).toEqual([[1, 1], undefined]);
    const third = await testbed.run('mcp', 'call', 'notes.whoami', '--direct');
    expect([third.status, refreshesOf(testbed)]).toEqual([3, [1, 1]]);
    await testbed.login();
    expect(testbed.stored()).not.toHaveProperty('refresh_started_at');
    expect(textOf(await (await testbed.openGateway()).call('notes__whoami'))).toBe('alice');
  });
});

describe('a pending refresh', () => {
  test.each([
    ['when the client disconnects', (gateway: Gateway) => gateway.endInput()],
    ['when the gateway receives SIGTERM', (gateway: Gateway) => gateway.kill('SIGTERM')],
  ])('%s is finished and stored', async (_, leave) => {
    const testbed = await newTestbed();
    await testbed.login();
    // Its catalog is now cached, so clients do not wait for its list.
    const first = await testbed.openGateway();
    first.endInput();
    await first.exited;
    expire(testbed);
    const gateway = testbed.startGateway();
    testbed.authorizationServer.beforeRefreshAnswer(async () => {
      leave(gateway);
      // The response arrives after everything else has ended.
      await pauseMs(1_000);
    });
    hello(gateway);
    await gateway.exited;
    testbed.authorizationServer.beforeRefreshAnswer(undefined);
    expect(testbed.stored()).not.toHaveProperty('refresh_started_at');
    expect(textOf(await (await testbed.openGateway()).call('notes__whoami'))).toBe('alice');
    expect(refreshesOf(testbed)).toEqual([1, undefined]);
  });
});

test('a refresh that is temporarily rejected is no interruption', async () => {
  const testbed = await expiredTestbed();
  testbed.authorizationServer.setDown(true);
  await refusalOf(Promise.resolve(testbed.credentials().authorization()));
  expect(testbed.stored()).not.toHaveProperty('refresh_started_at');
  testbed.authorizationServer.setDown(false);
  expect(await testbed.call(testbed.credentials(), 'whoami')).toBe('alice');
  expect(refreshesOf(testbed)).toEqual([1, undefined]);
});

type Gateway = ReturnType<Testbed['startGateway']>;

async function expiredTestbed(authorizationServer: { readonly refreshReuseSeconds?: number } = {}): Promise<Testbed> {
  const testbed = await newTestbed({ authorizationServer });
  await testbed.login();
  expire(testbed);
  return testbed;
}

function expire({ store }: Testbed): void {
  store.update(ID, (record) => record && { ...record, expiresAt: Date.now() - 1000 });
}

async function killDuringRefresh(testbed: Testbed): Promise<void> {
  const gateway = testbed.startGateway();
  testbed.authorizationServer.beforeRefreshAnswer(async () => {
    gateway.kill('SIGKILL');
    await gateway.exited;
  });
  hello(gateway);
  expect((await gateway.exited).signal).toBe('SIGKILL');
  testbed.authorizationServer.beforeRefreshAnswer(undefined);
}

function hello(gateway: Gateway): void {
  const clientInfo = { name: 'test', version: '1' };
  gateway.post('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  gateway.send({ method: 'notifications/initialized' });
}

/** The refreshes that the authorization server accepted and refused. */
function refreshesOf({ authorizationServer: { requests } }: Testbed): readonly unknown[] {
  return [requests['token:refresh_token'], requests['token:refresh_token:failed']];
}

function pauseMs(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
