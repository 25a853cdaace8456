import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { trackProcesses } from '../processes.ts';
import { noted, ownServer } from './call-world.ts';
import { configure } from './test-report.ts';
import { useGateways } from './via-gateway-world.ts';
import { useWorlds, type World } from './world.ts';

const processes = trackProcesses();
const newWorld = useWorlds(processes);
const gateways = useGateways(processes);

const LONG = '9007199254740993';

/** Records the arguments of a call unchanged, and returns text with terminal control sequences. */
const WRITES_DOWN = `
  const properties = { id: { type: 'integer', minimum: 1 }, ids: { type: 'array', items: { type: 'integer' } }, any: {} };
  serve({ tools: { take: {
    inputSchema: { type: 'object', properties, additionalProperties: false },
    call: (_, { line }) => {
      note(/"arguments":(.*?)[,}]*$/s.exec(line.toString())[1]);
      return text('\\u001b[31mred\\u001b[0m');
    },
  } } });
`;

function writesDown(): World {
  const world = newWorld();
  return configure(world, { one: ownServer(world, WRITES_DOWN) });
}

describe('an integer with more digits than a double', () => {
  const ways: readonly (readonly [string, readonly string[], string])[] = [
    ['typed by the schema', [`id=${LONG}`, `ids=${LONG}`], `{"id":${LONG},"ids":[${LONG}]`],
    ['without a type', [`any=${LONG}`], `{"any":${LONG}`],
    ['as JSON', [`any:={"n":[-${LONG},1]}`], `{"any":{"n":[-${LONG},1]`],
    ['in --args', ['--args', `{"any":"${LONG}","id":${LONG}}`], `{"any":"${LONG}","id":${LONG}`],
  ];

  test.each(ways)('arrives as typed: %s', async (_, args, sent) => {
    const world = writesDown();
    expect(await world.mcp('call', 'one.take', ...args)).toEqual({ status: 0, stdout: 'red\n', stderr: '' });
    expect(noted(world)).toEqual([sent]);
  });

  test('arrives unchanged through a gateway too', async () => {
    const world = writesDown();
    await gateways.start(world);
    const { stdout } = await world.mcp('call', 'one.take', `id=${LONG}`, '--json');
    expect([JSON.parse(stdout).via, ...noted(world)]).toEqual(['gateway', expect.stringContaining(`{"id":${LONG}`)]);
  });

  test.each([
    ['as text', []],
    ['as JSON', ['--json']],
  ])('is printed with all digits: %s', async (_, options) => {
    const world = configure(newWorld(), { one: fixture('exact-bytes') });
    const { status, stdout } = await world.mcp('call', 'one.odd-values', ...options);
    expect([status, stdout]).toEqual([0, expect.stringMatching(new RegExp(`"big": ?${LONG},`))]);
  });

  test('is validated like any other: one that is too small is rejected', async () => {
    const { status, stderr } = await writesDown().mcp('call', 'one.take', `id=-${LONG}`);
    expect([status, stderr]).toEqual([2, expect.stringContaining('allowed: integer ≥ 1')]);
  });
});

describe('--raw', () => {
  test('prints text unchanged', async () => {
    expect(await writesDown().mcp('call', 'one.take', '--raw')).toMatchObject({
      status: 0,
      stdout: '\u001b[31mred\u001b[0m\n',
    });
  });

  test('is rejected with --json, which is already exact', async () => {
    const { status, stderr } = await writesDown().mcp('call', 'one.take', '--raw', '--json');
    expect([status, JSON.parse(stderr).error.message]).toEqual([
      2,
      expect.stringContaining('--raw cannot be used with --json'),
    ]);
  });
});
