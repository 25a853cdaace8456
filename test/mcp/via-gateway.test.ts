import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { trackProcesses } from '../processes.ts';
import { noted, ownServer } from './call-world.ts';
import { runAsJson } from './listing-world.ts';
import { configure } from './test-report.ts';
import { configureOne, NOTES_ITS_STARTS, useGateways, who } from './via-gateway-world.ts';
import { ownConfig, useWorlds } from './world.ts';

const processes = trackProcesses();
const newWorld = useWorlds(processes);
const gateways = useGateways(processes);

const worldOfOne = () => configureOne(newWorld());

describe('a command uses the gateway that has the same server', () => {
  test('and starts nothing, whatever it requests', async () => {
    const world = worldOfOne();
    const gateway = await gateways.start(world);
    await gateway.request('tools/list');
    await expect.poll(() => noted(world).length).toBe(1);
    const [pid] = noted(world);
    expect(await who(world)).toEqual({ status: 0, via: 'gateway', pid, error: undefined });
    expect((await runAsJson(world, 'tool', 'one.who')).answer).toMatchObject({ via: 'gateway' });
    const { stdout: tools } = await world.mcp('tools', 'one');
    const { stdout: resources } = await world.mcp('resources', 'list', 'one');
    const { stdout: content } = await world.mcp('resources', 'read', 'one', 'test://who');
    const { stdout: prompts } = await world.mcp('prompts', 'list', 'one');
    const { stdout: prompt } = await world.mcp('prompts', 'get', 'one.who');
    expect(tools).toContain('who');
    for (const shown of [resources, content, prompts, prompt]) expect(shown).toContain(pid);
    expect(noted(world)).toEqual([pid]);
  });

  test('with another config file too, if the entry is equivalent', async () => {
    const world = newWorld();
    const entry = ownServer(world, NOTES_ITS_STARTS);
    configure(world, { one: entry });
    const file = world.write('same.json', ownConfig({ one: { args: entry.args, command: entry.command } }));
    const gateway = await gateways.start(world, { args: ['gateway', '--config', file] });
    await gateway.request('tools/list');
    expect(await who(world)).toMatchObject({ via: 'gateway', pid: noted(world)[0] });
    expect(noted(world).length).toBe(1);
  });

  test('the oldest of several that have it, skipping those that do not', async () => {
    const world = worldOfOne();
    const file = world.write('other.json', { mcpServers: { other: fixture('well-behaved') } });
    await gateways.start(world, { args: ['gateway', '--config', file] });
    // Their tools may be cached from the last run. Only the servers themselves record their starts.
    const second = await gateways.start(world);
    await expect.poll(() => noted(world).length, { timeout: 30_000 }).toBe(1);
    const third = await gateways.start(world);
    await expect.poll(() => noted(world).length, { timeout: 30_000 }).toBe(2);
    const pids = noted(world);
    expect(await who(world)).toMatchObject({ via: 'gateway', pid: pids[0] });
    second.endInput();
    await second.exited;
    expect(await who(world)).toMatchObject({ via: 'gateway', pid: pids[1] });
    third.kill('SIGKILL');
    await third.exited;
    expect(await who(world)).toMatchObject({ via: 'direct' });
  });

  test('even if the client of that gateway has not sent initialize yet', async () => {
    const world = worldOfOne();
    await gateways.start(world, { isUngreeted: true });
    expect(await who(world)).toMatchObject({ status: 0, via: 'gateway', pid: noted(world).at(-1) });
    expect(noted(world).length).toBe(1);
  });

  test('and the server that it starts gets a regular initialize', async () => {
    const world = configure(newWorld(), { one: fixture('says-anything') });
    await gateways.start(world, { isUngreeted: true });
    const { answer } = await runAsJson(world, 'call', 'one.heard');
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
