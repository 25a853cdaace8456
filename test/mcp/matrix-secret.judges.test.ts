import { afterEach, expect, test, vi } from 'vitest';
import { officialServer } from '../interop/programs.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import type { CommandName } from './matrix-commands.ts';
import { useGateways } from './matrix-gateway.ts';
import { type OutputMode, runInEveryMode, runInMode } from './matrix-modes.ts';
import { STATIC } from './matrix-row.ts';
import { configure } from './test-report.ts';
import { useWorlds } from './world.ts';

vi.setConfig({ testTimeout: 300_000 });

const processes = trackProcesses();
const newWorld = useWorlds(processes);
const openGateway = useGateways(processes);
afterEach(() => {
  vi.unstubAllEnvs();
});

const SECRET = 'sk-of-the-person-0123456789';
const WAYS: readonly OutputMode[] = ['piped', 'json', 'terminal'];

test.each(['direct', 'gateway'] as const)('a server that prints its environment cannot print ours: %s', async (via) => {
  vi.stubEnv('GITHUB_TOKEN', SECRET);
  vi.stubEnv('SOMEBODYS_VARIABLE', SECRET);
  const world = configure(newWorld(), { s: { ...officialServer('everything'), env: { GIVEN: 'by its entry' } } });
  if (via === 'gateway') await openGateway(world);
  const ran = await Promise.all(WAYS.map((way) => runInMode(way, ['mcp', 'call', 's.get-env'], { world, processes })));
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

const ASKING: readonly CommandName[] = ['test', 'tools', 'tool', 'call', 'resources', 'read', 'prompts', 'prompt'];

verifies(
  'host:safety:secrets-masked',
  'no command shows a secret of an entry, even if its server prints it before it exits',
  async () => {
    const program = `process.stderr.write('no entry with ' + process.env.API_TOKEN + '\\n'); process.exit(1);`;
    const env = { API_TOKEN: SECRET };
    const world = configure(newWorld(), { s: { command: process.execPath, args: ['-e', program], env } });
    const surroundings = { world, processes, secrets: [SECRET] };
    const subject = { id: 's', tool: 'echo' };
    const well = Object.fromEntries(STATIC.map((name) => [name, '0']));
    const ends = Object.fromEntries(ASKING.map((name) => [name, '4']));
    expect(await runInEveryMode([...STATIC, ...ASKING], subject, surroundings)).toEqual({ ...well, ...ends });
    await openGateway(world);
    const { test: _, ...throughGateway } = ends;
    const names = [...STATIC, ...ASKING].filter((name) => name !== 'test');
    expect(await runInEveryMode(names, subject, surroundings)).toEqual({ ...well, ...throughGateway });
  },
);
