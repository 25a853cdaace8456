import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { trackProcesses } from '../processes.ts';
import { ownServer, recordedLines } from './call-testbed.ts';
import { runAsJson } from './listing-testbed.ts';
import { configure } from './test-report.ts';
import { ownConfig, useTestbeds } from './testbed.ts';
import { answeringProcess, configureOne, RECORDS_STARTS_SERVER, useGateways } from './via-gateway-testbed.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const gateways = useGateways(processes);

const testbedWithOneServer = () => configureOne(newTestbed());

describe('a command uses the gateway that has the same server', () => {
  test('and starts nothing, whatever it requests', async () => {
    const testbed = testbedWithOneServer();
    const gateway = await gateways.start(testbed);
    await gateway.request('tools/list');
    await expect.poll(() => recordedLines(testbed).length).toBe(1);
    const [pid] = recordedLines(testbed);
    expect(await answeringProcess(testbed)).toEqual({ status: 0, via: 'gateway', pid, error: undefined });
    expect((await runAsJson(testbed, 'tool', 'one.who')).answer).toMatchObject({ via: 'gateway' });
    const { stdout: tools } = await testbed.mcp('tools', 'one');
    const { stdout: resources } = await testbed.mcp('resources', 'list', 'one');
    const { stdout: content } = await testbed.mcp('resources', 'read', 'one', 'test://who');
    const { stdout: prompts } = await testbed.mcp('prompts', 'list', 'one');
    const { stdout: prompt } = await testbed.mcp('prompts', 'get', 'one.who');
    expect(tools).toContain('who');
    for (const shown of [resources, content, prompts, prompt]) expect(shown).toContain(pid);
    expect(recordedLines(testbed)).toEqual([pid]);
  });

  test('with another config file too, if the entry is equivalent', async () => {
    const testbed = newTestbed();
    const entry = ownServer(testbed, RECORDS_STARTS_SERVER);
    configure(testbed, { one: entry });
    const file = testbed.write('same.json', ownConfig({ one: { args: entry.args, command: entry.command } }));
    const gateway = await gateways.start(testbed, { args: ['gateway', '--config', file] });
    await gateway.request('tools/list');
    expect(await answeringProcess(testbed)).toMatchObject({ via: 'gateway', pid: recordedLines(testbed)[0] });
    expect(recordedLines(testbed).length).toBe(1);
  });

  test('the oldest of several that have it, skipping those that do not', async () => {
    const testbed = testbedWithOneServer();
    const file = testbed.write('other.json', { mcpServers: { other: fixture('well-behaved') } });
    await gateways.start(testbed, { args: ['gateway', '--config', file] });
    // Their tools may be cached from the last run. Only the servers themselves record their starts.
    const second = await gateways.start(testbed);
    await expect.poll(() => recordedLines(testbed).length, { timeout: 30_000 }).toBe(1);
    const third = await gateways.start(testbed);
    await expect.poll(() => recordedLines(testbed).length, { timeout: 30_000 }).toBe(2);
    const pids = recordedLines(testbed);
    expect(await answeringProcess(testbed)).toMatchObject({ via: 'gateway', pid: pids[0] });
    second.endInput();
    await second.exited;
    expect(await answeringProcess(testbed)).toMatchObject({ via: 'gateway', pid: pids[1] });
    third.kill('SIGKILL');
    await third.exited;
    expect(await answeringProcess(testbed)).toMatchObject({ via: 'direct' });
  });

  test('even if the client of that gateway has not sent initialize yet', async () => {
    const testbed = testbedWithOneServer();
    await gateways.start(testbed, { isUngreeted: true });
    expect(await answeringProcess(testbed)).toMatchObject({
      status: 0,
      via: 'gateway',
      pid: recordedLines(testbed).at(-1),
    });
    expect(recordedLines(testbed).length).toBe(1);
  });

  test('and the server that it starts gets a regular initialize', async () => {
    const testbed = configure(newTestbed(), { one: fixture('says-anything') });
    await gateways.start(testbed, { isUngreeted: true });
    const { answer } = await runAsJson(testbed, 'call', 'one.heard');
    const [greeting] = JSON.parse(answer.result.content[0].text);
    expect(JSON.parse(greeting)).toMatchObject({
      method: 'initialize',
      params: {
        protocolVersion: expect.any(String),
        capabilities: expect.any(Object),
        clientInfo: { name: expect.any(String), version: expect.any(String) },
      },
    });
  });
});
