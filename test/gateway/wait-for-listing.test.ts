import { afterEach, expect } from 'vitest';
import { type FixtureName, fixture } from '../fixtures/paths.ts';
import { type ConfiguredGateway, gatewayFor, switchboard } from '../interop/programs.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { CliProcess } from './cli-process.ts';

/** How long the gateway waits for servers, and the two variables that set it. */
const DEFAULT_MS = 4_000;
const processes = trackProcesses();
const configs: ConfiguredGateway[] = [];
afterEach(() => {
  for (const config of configs.splice(0)) config[Symbol.dispose]();
});

verifies(
  ['gateway:list:timeout-default', 'gateway:list:timeout-env'],
  'a list waits 4000 ms for a server that hangs, or WRAPPER_TOOLS_LIST_TIMEOUT_MS if set',
  async () => {
    const usual = openWithConfig({ well: ['well-behaved'], hung: ['hangs-at-list'] });
    const shortTimeout = openWithConfig({ well: ['well-behaved'], slow: ['slow-start', '60000'] }, listTimeout('1'));
    const patient = openWithConfig({ well: ['well-behaved'], slow: ['slow-start', '5000'] }, listTimeout('25000'));
    await Promise.all([usual, shortTimeout, patient].map(initialize));
    // After this response, the working server is ready, even on a busy machine.
    await usual.call('well__echo', { text: 'there' });
    const [byDefault, inHaste, inPatience] = await Promise.all([usual, shortTimeout, patient].map(measureList));
    expect(byDefault?.tools).toEqual(WELL);
    expectDefaultPassed(byDefault?.ms);
    expect(inHaste?.tools).not.toContain('slow__echo');
    expect(inPatience?.tools).toEqual([...WELL, 'slow__echo']);
    for (const gateway of [usual, shortTimeout, patient]) gateway.endInput();
  },
);

verifies(
  ['gateway:initialize:timeout-default', 'gateway:initialize:timeout-env'],
  'with a single server that hangs, initialize waits 4000 ms, or WRAPPER_INIT_TIMEOUT_MS if set',
  async () => {
    const usual = openSingle(['hangs-at-initialize']);
    const shortTimeout = openSingle(['slow-start', '60000'], { WRAPPER_INIT_TIMEOUT_MS: '1' });
    const patient = openSingle(['slow-start', '5000'], { WRAPPER_INIT_TIMEOUT_MS: '25000' });
    // After this response, the measurement does not include the start of a process.
    await usual.request('ping');
    const before = performance.now();
    const answered = initialize(usual).then((name) => ({ name, ms: performance.now() - before }));
    expect(await Promise.all([initialize(shortTimeout), initialize(patient)])).toEqual(['switchboard', 'slow-start']);
    const { name, ms } = await answered;
    expect(name).toBe('switchboard');
    expectDefaultPassed(ms);
    for (const gateway of [usual, shortTimeout, patient]) gateway.kill('SIGTERM');
  },
);

const WELL = ['well__echo', 'well__add', 'well__slow'];

type Fixture = readonly [FixtureName, ...options: string[]];

function openWithConfig(servers: Readonly<Record<string, Fixture>>, env?: Record<string, string>): CliProcess {
  const config = gatewayFor(Object.fromEntries(Object.entries(servers).map(([id, start]) => [id, fixture(...start)])));
  configs.push(config);
  return new CliProcess(config, processes, env);
}

function openSingle(server: Fixture, env?: Record<string, string>): CliProcess {
  const { command, args } = fixture(...server);
  return new CliProcess(switchboard('--', command, ...args), processes, env);
}

function listTimeout(ms: string): Record<string, string> {
  return { WRAPPER_TOOLS_LIST_TIMEOUT_MS: ms };
}

/** Returns the name of the server that responded. */
async function initialize(gateway: CliProcess): Promise<string> {
  const { result } = await gateway.request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  });
  gateway.send({ method: 'notifications/initialized' });
  return result.serverInfo.name;
}

async function measureList(gateway: CliProcess): Promise<{ tools: string[]; ms: number }> {
  const before = performance.now();
  const { result } = await gateway.request('tools/list');
  return { tools: result.tools.map(({ name }: { name: string }) => name), ms: performance.now() - before };
}

/** A timer may be a millisecond early. How late it is depends on the machine: a response has half a minute in total. */
function expectDefaultPassed(ms = 0): void {
  expect(ms).toBeGreaterThan(DEFAULT_MS - 10);
}
