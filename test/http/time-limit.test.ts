import { afterEach, expect, vi } from 'vitest';
import type { ServerEntry } from '../../src/config/server-entry.ts';
import { connectServer } from '../../src/upstream/entry/connect-server.ts';
import { verifies } from '../verifies.ts';
import { answerBasics, httpHarness } from './harness.ts';

const { openServer, processes } = httpHarness();
afterEach(() => vi.useRealTimers());

verifies('config:own:timeout-default', 'a request may take 30 seconds by default', async () => {
  const server = await openServer((came, response) => {
    if (came.message.method !== 'tools/call') return answerBasics(came, response);
  });
  const env = processes.env();
  const testEnvironment = { env, home: env['HOME'] ?? '/', cwd: process.cwd(), platform: process.platform };
  // From here on, the test controls the clock, so that nothing waits half a minute.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  const host = await connectServer({ entry: entry(server.url), environment: testEnvironment });
  let outcome: unknown;
  void host.request('tools/call', { name: 'hang' }).catch((error: unknown) => {
    outcome = error;
  });
  await vi.advanceTimersByTimeAsync(29_900);
  expect(outcome).toBeUndefined();
  await vi.advanceTimersByTimeAsync(300);
  expect(outcome).toMatchObject({ code: 'TIMED_OUT', message: expect.stringContaining('within 30 s.') });
  await host.close();
});

function entry(url: string): ServerEntry {
  const address = { headers: {}, headerEnv: {}, bearerTokenEnv: undefined, oauth: undefined, isSse: false };
  return {
    id: 'far',
    origin: { layer: 'explicit', file: 'servers.json', line: 1 },
    transport: { kind: 'http', url, ...address },
    tools: { allow: undefined, deny: [] },
    ...{ startupTimeoutMs: undefined, requestTimeoutMs: undefined },
    ...{ start: 'eager', pin: false, restart: 'overlap', share: 'folder', expandsVariables: false },
    sharesSignIn: false,
  };
}
