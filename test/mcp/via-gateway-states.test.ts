import { describe, expect, test } from 'vitest';
import { sendControlRequest } from '../../src/control/socket/control-request.ts';
import type { RunningStatus } from '../../src/control/status/running-status.ts';
import { fixture } from '../fixtures/paths.ts';
import type { CliProcess } from '../gateway/cli-process.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { ownServer, recordedLines } from './call-testbed.ts';
import { runAsJson } from './listing-testbed.ts';
import { openSignInServer } from './sign-in-server.ts';
import { configure } from './test-report.ts';
import { type Testbed, useTestbeds } from './testbed.ts';
import { addressOf, RECORDS_STARTS_SERVER, useGateways } from './via-gateway-testbed.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const gateways = useGateways(processes);

/** Waits until the gateway reports this state of its first server. */
async function untilFirst(gateway: CliProcess, testbed: Testbed, expected: Readonly<Record<string, unknown>>) {
  const running = await addressOf(gateway, testbed);
  const first = async () => ((await sendControlRequest(running, 'mcp.list')) as RunningStatus).servers[0];
  await expect.poll(first, { timeout: 30_000, interval: 50 }).toMatchObject(expected);
}

describe('a server of the running gateway that cannot be called', () => {
  test('requires a sign-in: exit 3, with the command for it', async () => {
    await using web = await openSignInServer();
    const testbed = configure(newTestbed(), { web: { url: `${web.origin}/mcp` } });
    const gateway = await gateways.start(testbed);
    await untilFirst(gateway, testbed, { state: 'auth_required' });
    const before = web.requests();
    const { status, answer, error } = await runAsJson(testbed, 'call', 'web.anything');
    expect({ status, answer, code: error.code }).toEqual({ status: 3, answer: undefined, code: 'SIGN_IN_NEEDED' });
    expect(error.message).toContain('switchboard mcp login web');
    // Only through the gateway: a separate connection would have sent another `initialize`.
    expect(web.requests() - before).toBeLessThanOrEqual(1);
  });

  test.each([
    ['does not exist', { command: 'no-such-program-anywhere' }, 'SPAWN_FAILED', 'no-such-program-anywhere'],
    ['exits at startup', fixture('dies-at-start'), 'PROCESS_EXITED', 'exit code 3'],
    ['hangs at startup', { ...fixture('hangs-at-initialize'), startup_timeout_ms: 1_500 }, 'START_FAILED', '1.5 s'],
  ])('%s: exit 4, with the same message as a direct connection', async (_, entry, code, why) => {
    const testbed = configure(newTestbed(), { ill: entry });
    await gateways.start(testbed);
    const { status, answer, error } = await runAsJson(testbed, 'call', 'ill.anything');
    expect({ status, answer, code: error.code }).toEqual({ status: 4, answer: undefined, code });
    expect(error.message).toContain(why);
    const direct = (await runAsJson(testbed, 'call', 'ill.anything', '--direct')).error;
    expect({ code, message: error.message }).toEqual({ code: direct.code, message: direct.message });
  });

  test('exits at startup: its name and its stderr are reported', async () => {
    const testbed = configure(newTestbed(), { ill: fixture('dies-at-start') });
    await gateways.start(testbed);
    const { error } = await runAsJson(testbed, 'call', 'ill.anything');
    expect(error).toMatchObject({
      server: 'ill',
      lastWords: ['dies-at-start: API_KEY is not set', 'See the README.'],
    });
  });

  test('is disabled: exit 2, with how to enable it', async () => {
    const testbed = configure(newTestbed(), { off: { ...fixture('well-behaved'), enabled: false } });
    await gateways.start(testbed);
    const { status, error } = await runAsJson(testbed, 'call', 'off.echo', 'text=x');
    expect({ status, code: error.code }).toEqual({ status: 2, code: 'USAGE' });
    expect(error.message).toContain('switchboard mcp enable off');
  });

  test('crashes during the call: exit 4 with the reason, and the next call is answered', async () => {
    const testbed = configure(newTestbed(), { mortal: fixture('dies-mid-call') });
    const gateway = await gateways.start(testbed);
    await untilFirst(gateway, testbed, { state: 'ready' });
    const { status, error } = await runAsJson(testbed, 'call', 'mortal.die');
    expect({ status, code: error.code }).toEqual({ status: 4, code: 'OUTCOME_UNKNOWN' });
    expect(error.message).toMatch(
      /mortal\.die.*out of cheese\. The server may have done this; check before repeating\. Run: /,
    );
    expect((await runAsJson(testbed, 'call', 'mortal.echo', 'text=again')).answer).toMatchObject({ via: 'gateway' });
  });

  test('is killed with its gateway during the call: exit 4 at once, and nothing is called twice', async () => {
    const testbed = newTestbed();
    const body = `serve({ tools: { hang: { call: () => { note('called'); return new Promise(() => {}); } } } });`;
    configure(testbed, { one: ownServer(testbed, body) });
    const gateway = await gateways.start(testbed);
    await untilFirst(gateway, testbed, { state: 'ready' });
    const asked = runAsJson(testbed, 'call', 'one.hang');
    await expect.poll(() => recordedLines(testbed), { timeout: 30_000, interval: 20 }).toEqual(['called']);
    gateway.kill('SIGKILL');
    const { status, answer, error } = await asked;
    expect({ status, answer, code: error.code }).toEqual({ status: 4, answer: undefined, code: 'OUTCOME_UNKNOWN' });
    expect(error.message).toMatch(new RegExp(`one\\.hang.*gateway with pid ${gateway.pid}`));
    expect(recordedLines(testbed)).toEqual(['called']);
  });
});

describe('a server of the running gateway that is not ready yet', () => {
  test('is waited for while it starts', async () => {
    const testbed = configure(newTestbed(), { slow: fixture('slow-start', '8000') });
    const gateway = await gateways.start(testbed);
    await untilFirst(gateway, testbed, { state: 'connecting' });
    expect(await runAsJson(testbed, 'call', 'slow.echo', 'text=x')).toMatchObject({
      status: 0,
      answer: { via: 'gateway', result: { content: [{ text: 'x' }] } },
    });
  });

  verifies('host:status:live', 'is started by its first call if lazy, and its status says so', async () => {
    const testbed = newTestbed();
    configure(testbed, { one: { ...ownServer(testbed, RECORDS_STARTS_SERVER), start: 'lazy' } });
    // From then on, its tools are known.
    const first = await gateways.start(testbed);
    await first.request('tools/list');
    first.endInput();
    await first.exited;
    expect(recordedLines(testbed).length).toBe(1);
    const gateway = await gateways.start(testbed);
    await untilFirst(gateway, testbed, { state: 'ready', note: 'starts at its first call', tools: 1 });
    expect(recordedLines(testbed).length).toBe(1);
    const { answer } = await runAsJson(testbed, 'call', 'one.who');
    expect(answer).toMatchObject({ via: 'gateway', result: { content: [{ text: recordedLines(testbed)[1] }] } });
    expect(recordedLines(testbed).length).toBe(2);
    const running = await addressOf(gateway, testbed);
    const [now] = ((await sendControlRequest(running, 'mcp.list')) as RunningStatus).servers;
    expect(now).toMatchObject({ state: 'ready', calls: 1, underWay: 0, p50Ms: expect.any(Number) });
    expect(now).not.toHaveProperty('note');
  });
});
