import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { officialServer } from '../interop/programs.ts';
import { trackProcesses } from '../processes.ts';
import { ownServer } from './call-testbed.ts';
import { configure } from './test-report.ts';
import { useTestbeds } from './testbed.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);

test('a tool is called with arguments of the types in its schema, and its text is printed', async () => {
  const testbed = configure(newTestbed(), {
    one: fixture('well-behaved'),
    everything: officialServer('everything'),
  });
  testbed.write('project/args.json', { a: 40, b: 2 });
  expect(
    await Promise.all([
      testbed.mcp('call', 'one.add', 'a=1', 'b=2.5'),
      testbed.mcp('call', 'one.add', '--args', '@args.json', 'b=3'),
      testbed.run(['mcp', 'call', 'one.add', '--args', '-'], { stdin: '{"a":5,"b":6}' }),
      testbed.mcp('call', 'one.echo', 'text=12', '--direct'),
    ]),
  ).toEqual(['3.5', '43', '11', '12'].map((text) => ({ status: 0, stdout: `${text}\n`, stderr: '' })));
  const sum = await testbed.mcp('call', 'everything.get-sum', 'a=1', 'b=2');
  expect([sum.status, sum.stdout]).toEqual([0, 'The sum of 1 and 2 is 3.\n']);
});

test('--json prints one document with the result as the server returned it, and nothing else', async () => {
  const testbed = configure(newTestbed(), { one: fixture('well-behaved'), logs: fixture('offers-everything') });
  const added = await testbed.run(['mcp', 'call', 'one.add', 'a=1', 'b=2', '--json', '--verbose'], {
    keepsStdin: true,
  });
  expect([added.status, JSON.parse(added.stdout), added.stderr]).toEqual([
    0,
    {
      ...{ v: 1, server: 'one', tool: 'add', via: 'direct' },
      result: { content: [{ type: 'text', text: '3' }], structuredContent: { sum: 3 } },
    },
    '',
  ]);
  const logged = await testbed.mcp('call', 'logs.log', 'level=info', 'data=hello', '--json');
  expect([JSON.parse(logged.stdout).notes, logged.stderr]).toEqual([['[mcp logs info] hello'], '']);
});

test('log messages of the server go to stderr, one line each', async () => {
  const testbed = configure(newTestbed(), { logs: fixture('offers-everything') });
  expect(await testbed.mcp('call', 'logs.log', 'level=warning', 'data=two\nlines\u001b[2J')).toEqual({
    status: 0,
    stdout: 'told\n',
    stderr: '[mcp logs warning] two lines\n',
  });
});

test('progress is not shown when piped, unless requested', async () => {
  const testbed = configure(newTestbed(), { one: fixture('well-behaved'), flood: fixture('floods-progress') });
  const [silent, verbose, flood] = await Promise.all([
    testbed.mcp('call', 'one.slow', 'ms=100'),
    testbed.mcp('call', 'one.slow', 'ms=100', '--verbose'),
    testbed.mcp('call', 'flood.flood'),
  ]);
  expect([silent, verbose.stdout, flood]).toEqual([
    { status: 0, stdout: 'slept 100 ms\n', stderr: '' },
    'slept 100 ms\n',
    { status: 0, stdout: 'sent 10000\n', stderr: '' },
  ]);
  expect(verbose.stderr).toMatch(/^\[#####-{15}\] 1\/4\n/);
});

test('a call that keeps reporting progress does not time out', async () => {
  const testbed = configure(newTestbed(), { one: fixture('well-behaved') });
  expect(await testbed.mcp('call', 'one.slow', 'ms=10000', '--timeout', '5')).toMatchObject({
    status: 0,
    stdout: 'slept 10000 ms\n',
  });
});

test('a result of 50 MB passes through a pipe complete', async () => {
  const testbed = configure(newTestbed(), { huge: fixture('huge-line') });
  const { status, stdout, stderr } = await testbed.mcp('call', 'huge.huge', 'mib=50');
  expect([status, stdout.length, stderr]).toEqual([0, 50 * 2 ** 20 + 1, '']);
});

test('nothing in a result, an error or a log can control the terminal', async () => {
  const evil = '\u001b]52;c;cm0=\u0007\u001b]8;;http://x\u0007here\u001b]8;;\u0007\u001b[2J\u202e\u009b1A';
  const testbed = newTestbed();
  configure(testbed, {
    evil: ownServer(
      testbed,
      `const evil = ${JSON.stringify(evil)};
       serve({ tools: {
         say: { call: (_, { peer }) => { peer.notify('notifications/message', { level: evil, data: evil }); return text(evil); } },
         fail: { call: () => ({ ...text(evil), isError: true }) },
         refuse: { call: () => { throw Object.assign(new Error(evil), { code: -32000 }); } },
       } });`,
    ),
  });
  const ran = await Promise.all(['say', 'fail', 'refuse'].map((tool) => testbed.mcp('call', `evil.${tool}`)));
  expect(ran.map(({ status }) => status)).toEqual([0, 5, 5]);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for them
  const steering = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/;
  for (const { stdout, stderr } of ran) expect(stdout + stderr).not.toMatch(steering);
  expect(ran[0]?.stdout).toBe('here\n');
});

test('an elicitation without a terminal is refused, and reported', async () => {
  const testbed = configure(newTestbed(), {
    asks: fixture('requests-elicitation'),
    samples: fixture('requests-sampling'),
  });
  const { status, stdout, stderr } = await testbed.run(['mcp', 'call', 'asks.ask'], { keepsStdin: true });
  expect([status, JSON.parse(stdout).error.code, stderr]).toEqual([
    ...[0, -32601],
    '[mcp asks] requested elicitation/create, which was refused: there is no terminal to prompt on\n',
  ]);
});
