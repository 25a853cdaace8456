import { afterEach, expect, test, vi } from 'vitest';
import { officialServer } from '../interop/programs.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import type { CommandName } from './matrix-commands.ts';
import { useGateways } from './matrix-gateway.ts';
import { type OutputMode, runInEveryMode, runInMode } from './matrix-modes.ts';
import { STATIC } from './matrix-row.ts';
import { configure } from './test-report.ts';
import { useTestbeds } from './testbed.ts';

vi.setConfig({ testTimeout: 300_000 });

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const openGateway = useGateways(processes);
afterEach(() => {
  vi.unstubAllEnvs();
});

const SECRET = 'sk-of-the-person-0123456789';
const WAYS: readonly OutputMode[] = ['piped', 'json', 'terminal'];

test.each(['direct', 'gateway'] as const)('a server that prints its environment cannot print ours: %s', async (via) => {
  vi.stubEnv('GITHUB_TOKEN', SECRET);
  vi.stubEnv('SOMEBODYS_VARIABLE', SECRET);
  const testbed = configure(newTestbed(), { s: { ...officialServer('everything'), env: { GIVEN: 'by its entry' } } });
  if (via === 'gateway') await openGateway(testbed);
  const ran = await Promise.all(
    WAYS.map((way) => runInMode(way, ['mcp', 'call', 's.get-env'], { testbed, processes })),
  );
  expect(
    ran.map(({ status, stdout, stderr }) => [
      status,
      stdout.includes('by its entry'),
      `${stdout}${stderr}`.includes(SECRET) || stdout.includes('SOMEBODYS_VARIABLE'),
    ]),
  ).toEqual(WAYS.map(() => [0, true, false]));
  const [, json] = ran;
  expect(JSON.parse(json?.stdout ?? '')).toMatchObject({ v: 1, via });
});

const CONTACTING_COMMANDS: readonly CommandName[] = [
  'test',
  'tools',
  'tool',
  'call',
  'resources',
  'read',
  'prompts',
  'prompt',
];

verifies(
  'host:safety:secrets-masked',
  'no command shows a secret of an entry, even if its server prints it before it exits',
  async () => {
    const program = `process.stderr.write('no entry with ' + process.env.API_TOKEN + '\\n'); process.exit(1);`;
    const env = { API_TOKEN: SECRET };
    const testbed = configure(newTestbed(), { s: { command: process.execPath, args: ['-e', program], env } });
    const testEnvironment = { testbed, processes, secrets: [SECRET] };
    const subject = { id: 's', tool: 'echo' };
    const well = Object.fromEntries(STATIC.map((name) => [name, '0']));
    const exitCodes = Object.fromEntries(CONTACTING_COMMANDS.map((name) => [name, '4']));
    expect(await runInEveryMode([...STATIC, ...CONTACTING_COMMANDS], subject, testEnvironment)).toEqual({
      ...well,
      ...exitCodes,
    });
    await openGateway(testbed);
    const { test: _, ...throughGateway } = exitCodes;
    const names = [...STATIC, ...CONTACTING_COMMANDS].filter((name) => name !== 'test');
    expect(await runInEveryMode(names, subject, testEnvironment)).toEqual({ ...well, ...throughGateway });
  },
);
