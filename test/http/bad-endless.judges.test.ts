import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { HttpFixture, HttpFixtureName } from '../fixtures/http/paths.ts';
import { fixture } from '../fixtures/paths.ts';
import { statusOf } from '../gateway/server-status.ts';
import { verifies } from '../verifies.ts';
import { at, httpHarness, ofMethod, textOf } from './harness.ts';

const { openGateway, openFixture } = httpHarness();
const MIB = 1024 * 1024;
/** Data in the pipes between two processes may have been written too. */
const LEEWAY = 96 * MIB;

describe('a response that never arrives', () => {
  const hanging: readonly (readonly [HttpFixtureName, ...string[]])[] = [
    ['hangs-at-headers', '--at', 'tools/call'],
    ['never-ends-stream'],
    ['slow-drip'],
    ['slow-drip', '--type', 'sse'],
  ];
  for (const [name, ...options] of hanging) {
    verifies(
      'host:connect:lost',
      `${[name, ...options].join(' ')}: the call times out, is cancelled at the server, and affects nothing else`,
      async () => {
        const server = await openFixture(name, ...options);
        const far = at(server.url, { requestTimeoutMs: 3_000 });
        const { connect, gateway } = openGateway({ far, near: fixture('well-behaved') });
        const client = await connect();
        await client.toolNames();
        const hangs = client.call('far__echo', { text: 'a' });
        expect(textOf(await client.call('near__echo', { text: 'near' }))).toBe('near');
        expect((await hangs).error).toEqual({
          code: 1008,
          message: expect.stringMatching(
            /^Server error: far did not answer tools\/call within [\d.]+ m?s\. The server may have done this; check before repeating\.$/,
          ),
          data: { kind: 'server_error', retryable: false, toolName: 'far__echo', serverName: 'far' },
        });
        const [call] = ofMethod(await server.requests(), 'tools/call');
        await expect
          .poll(async () => ofMethod(await server.requests(), 'notifications/cancelled').map(paramsOf))
          .toEqual([{ requestId: JSON.parse(call?.body ?? '{}').id, reason: 'timed out' }]);
        expect(statusOf(gateway, 'far').state).toBe('ready');
      },
    );
  }

  test('a server that sends nothing is waited for only until the startup timeout', async () => {
    const server = await openFixture('hangs-at-headers');
    const far = at(server.url, { startupTimeoutMs: 500 });
    const { connect } = openGateway({ far, near: fixture('well-behaved') });
    const client = await connect();
    const { error } = await client.call('far__echo', { text: 'a' });
    expect(error).toMatchObject({
      code: 1044,
      message: expect.stringMatching(
        /^Server error: far is down: it did not become ready: far did not answer initialize within [\d.]+ m?s\. Run: /,
      ),
    });
    expect(textOf(await client.call('near__echo', { text: 'near' }))).toBe('near');
  });

  test('a slow response is accepted', async () => {
    const server = await openFixture('slow-drip', '--ms', '1');
    const client = await openGateway({ far: at(server.url) }).connect();
    expect(textOf(await client.call('far__echo', { text: 'a' }))).toBe('a');
  });
});

describe('an endless response', () => {
  test.each(['json', 'event'])('as %s is aborted at the limit, and nothing more is read', async (as) => {
    const server = await openFixture('sends-forever', '--as', as);
    const { connect, gateway } = openGateway({ far: at(server.url), near: fixture('well-behaved') });
    const client = await connect();
    const endless = client.call('far__echo', { text: 'a' });
    expect(textOf(await client.call('near__echo', { text: 'near' }))).toBe('near');
    const { error } = await endless;
    expect(error).toMatchObject({
      code: 1013,
      message: expect.stringMatching(
        new RegExp(
          `^Server error: far sent too much at once \\(request less data\\): .* the limit of ${64 * MIB} bytes\\.$`,
        ),
      ),
      data: { serverName: 'far', original: { maxBytes: 64 * MIB } },
    });
    expect(await sentBytes(server)).toBeLessThan(64 * MIB + LEEWAY);
    expect(statusOf(gateway, 'far').state).toBe('ready');
  });

  test('as endless notifications is aborted when the call times out', async () => {
    const server = await openFixture('sends-forever', '--as', 'events');
    const far = at(server.url, { requestTimeoutMs: 2_000 });
    const { connect } = openGateway({ far, near: fixture('well-behaved') });
    const client = await connect();
    const endless = client.call('far__echo', { text: 'a' });
    expect(textOf(await client.call('near__echo', { text: 'near' }))).toBe('near');
    expect((await endless).error?.code).toBe(1008);
    const sent = await settled(server);
    await delay(100);
    expect(await sentBytes(server)).toBe(sent);
  });

  test.each([['json'], ['event'], ['events']])(
    'to the first request, as %s, affects only its own server',
    async (as) => {
      const server = await openFixture('sends-forever', '--as', as, '--at', 'server/discover', '--probe', '200');
      const { connect } = openGateway({ far: at(server.url), near: fixture('well-behaved') });
      const client = await connect();
      expect(textOf(await client.call('near__echo', { text: 'near' }))).toBe('near');
      // Its response to an unknown request must not prevent the connection.
      expect(textOf(await client.call('far__echo', { text: 'far' }))).toBe('far');
      expect(await sentBytes(server)).toBeLessThan(LEEWAY);
    },
  );
});

async function sentBytes(server: HttpFixture): Promise<number> {
  return (await server.control('/_sent')) as number;
}

/** Waits until it has noticed that its output is no longer read. */
async function settled(server: HttpFixture): Promise<number> {
  let before = -1;
  let now = await sentBytes(server);
  while (before !== now) {
    await delay(50);
    before = now;
    now = await sentBytes(server);
  }
  return now;
}

function paramsOf({ body }: { readonly body: string }): unknown {
  return JSON.parse(body).params;
}
