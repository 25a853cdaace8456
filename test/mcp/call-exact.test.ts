import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { trackProcesses } from '../processes.ts';
import { ownServer, recordedLines } from './call-testbed.ts';
import { configure } from './test-report.ts';
import { type Testbed, useTestbeds } from './testbed.ts';
import { useGateways } from './via-gateway-testbed.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const gateways = useGateways(processes);

const LONG = '9007199254740993';

/** Records the arguments of a call unchanged, and returns text with terminal control sequences. */
const RECORDS_ARGUMENTS_SERVER = `
  const properties = { id: { type: 'integer', minimum: 1 }, ids: { type: 'array', items: { type: 'integer' } }, any: {} };
  serve({ tools: { take: {
    inputSchema: { type: 'object', properties, additionalProperties: false },
    call: (_, { line }) => {
      note(/"arguments":(.*?)[,}]*$/s.exec(line.toString())[1]);
      return text('\\u001b[31mred\\u001b[0m');
    },
  } } });
`;

function newRecordingTestbed(): Testbed {
  const testbed = newTestbed();
  return configure(testbed, { one: ownServer(testbed, RECORDS_ARGUMENTS_SERVER) });
}

describe('an integer with more digits than a double', () => {
  const ways: readonly (readonly [string, readonly string[], string])[] = [
    ['typed by the schema', [`id=${LONG}`, `ids=${LONG}`], `{"id":${LONG},"ids":[${LONG}]`],
    ['without a type', [`any=${LONG}`], `{"any":${LONG}`],
    ['as JSON', [`any:={"n":[-${LONG},1]}`], `{"any":{"n":[-${LONG},1]`],
    ['in --args', ['--args', `{"any":"${LONG}","id":${LONG}}`], `{"any":"${LONG}","id":${LONG}`],
  ];

  test.each(ways)('arrives as typed: %s', async (_, args, sent) => {
    const testbed = newRecordingTestbed();
    expect(await testbed.mcp('call', 'one.take', ...args)).toEqual({ status: 0, stdout: 'red\n', stderr: '' });
    expect(recordedLines(testbed)).toEqual([sent]);
  });

  test('arrives unchanged through a gateway too', async () => {
    const testbed = newRecordingTestbed();
    await gateways.start(testbed);
    const { stdout } = await testbed.mcp('call', 'one.take', `id=${LONG}`, '--json');
    expect([JSON.parse(stdout).via, ...recordedLines(testbed)]).toEqual([
      'gateway',
      expect.stringContaining(`{"id":${LONG}`),
    ]);
  });

  test.each([
    ['as text', []],
    ['as JSON', ['--json']],
  ])('is printed with all digits: %s', async (_, options) => {
    const testbed = configure(newTestbed(), { one: fixture('exact-bytes') });
    const { status, stdout } = await testbed.mcp('call', 'one.odd-values', ...options);
    expect([status, stdout]).toEqual([0, expect.stringMatching(new RegExp(`"big": ?${LONG},`))]);
  });

  test('is validated like any other: one that is too small is rejected', async () => {
    const { status, stderr } = await newRecordingTestbed().mcp('call', 'one.take', `id=-${LONG}`);
    expect([status, stderr]).toEqual([2, expect.stringContaining('allowed: integer ≥ 1')]);
  });
});

describe('--raw', () => {
  test('prints text unchanged', async () => {
    expect(await newRecordingTestbed().mcp('call', 'one.take', '--raw')).toMatchObject({
      status: 0,
      stdout: '\u001b[31mred\u001b[0m\n',
    });
  });

  test('is rejected with --json, which is already exact', async () => {
    const { status, stderr } = await newRecordingTestbed().mcp('call', 'one.take', '--raw', '--json');
    expect([status, JSON.parse(stderr).error.message]).toEqual([
      2,
      expect.stringContaining('--raw cannot be used with --json'),
    ]);
  });
});
