import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { ownServer } from '../interop/programs.ts';
import { trackProcesses } from '../processes.ts';
import { typeOnTerminal } from './call-testbed.ts';
import { configure, testAsJson } from './test-report.ts';
import { useTestbeds } from './testbed.ts';
import { useGateways } from './via-gateway-testbed.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const gateways = useGateways(processes);
const twoServers = () => configure(newTestbed(), { kit: fixture('refuses-initialize'), sdk: ownServer('modern-only') });

test('mcp test passes every step of a program that speaks only 2026-07-28, and shows the revision', async () => {
  const testbed = twoServers();
  const [kit, sdk] = await Promise.all([testAsJson(testbed, 'kit'), testAsJson(testbed, 'sdk')]);
  expect([kit.status, sdk.status]).toEqual([0, 0]);
  const initialized = ({ report }: typeof kit) =>
    report.steps.find(({ name }: { name: string }) => name === 'initialize').result;
  expect([initialized(kit), initialized(sdk)]).toEqual([
    'MCP 2026-07-28, refuses-initialize 1.0.0',
    'MCP 2026-07-28, modern-only 2.0.0',
  ]);
});

test('mcp call prints the result of such a program, its resources are read, and it is shown why it fails', async () => {
  const testbed = twoServers();
  expect(
    await Promise.all([
      testbed.mcp('call', 'kit.echo', 'text=a'),
      testbed.mcp('call', 'sdk.echo', 'text=b'),
      testbed.mcp('resources', 'read', 'kit', 'note://one'),
    ]),
  ).toEqual(['a\n', 'b\n', 'a note\n'].map((stdout) => ({ status: 0, stdout, stderr: '' })));
  expect(await testbed.mcp('call', 'kit.die')).toMatchObject({
    status: 4,
    stderr: expect.stringContaining('exit code 7'),
  });
});

test('a question of such a program is asked on the terminal', async () => {
  const { status, shown } = await typeOnTerminal(twoServers(), processes, {
    args: ['call', 'sdk.ask', 'kind=elicitation'],
    turns: [
      ['name: ', 'Ada\r'],
      ['Send this', 'y\r'],
    ],
  });
  expect([status, shown]).toEqual([0, expect.stringContaining('"name":"Ada"')]);
});

test('mcp status shows the revision of a running program, and mcp call goes through its gateway', async () => {
  const testbed = configure(newTestbed(), { kit: fixture('refuses-initialize') });
  const gateway = await gateways.start(testbed);
  await gateway.request('tools/list');
  expect(await testbed.mcp('call', 'kit.echo', 'text=a')).toMatchObject({ status: 0, stdout: 'a\n' });
  const { status, stdout } = await testbed.mcp('status', 'kit');
  expect([status, stdout]).toEqual([0, expect.stringMatching(/^ +protocol +2026-07-28 \(modern\)$/m)]);
});
