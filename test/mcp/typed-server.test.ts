import { afterEach, describe, expect, test } from 'vitest';
import { type HttpFixtureName, openHttpFixture } from '../fixtures/http/paths.ts';
import { fixture } from '../fixtures/paths.ts';
import { trackProcesses } from '../processes.ts';
import { ownServer } from './call-testbed.ts';
import { openSignInServer } from './sign-in-server.ts';
import { configure } from './test-report.ts';
import { useTestbeds } from './testbed.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function urlOf(name: HttpFixtureName): Promise<string> {
  const opened = await openHttpFixture(name, { env: processes.env() });
  closers.push(() => opened.close());
  return opened.url;
}

const commandOf = (name: Parameters<typeof fixture>[0]) => {
  const { command, args } = fixture(name);
  return ['--', command, ...args];
};

describe('a server that is typed instead of configured', () => {
  test('is a command after --, for tools, call, test, resources and prompts', async () => {
    const testbed = newTestbed();
    const command = commandOf('well-behaved');
    const everything = commandOf('offers-everything');
    const ran = await Promise.all([
      testbed.run(['tools', ...command]),
      testbed.run(['tools', 'ech', ...command]),
      testbed.run(['call', 'add', 'a=1', 'b=2', ...command]),
      testbed.run(['call', 'well-behaved.echo', 'text:hi', ...command]),
      testbed.run(['test', ...command]),
      testbed.run(['mcp', 'resources', 'list', ...everything]),
      testbed.run(['mcp', 'prompts', 'list', ...everything]),
    ]);
    expect(ran.map(({ status, stderr }) => [status, stderr])).toEqual(ran.map(() => [0, '']));
    const [tools, some, added, echoed, tested, resources, prompts] = ran.map(({ stdout }) => stdout);
    expect(tools).toMatch(/^well-behaved\.echo\(/m);
    expect(some).toMatch(/^well-behaved\.echo\([^\n]*\n$/);
    expect([added, echoed]).toEqual(['3\n', 'hi\n']);
    expect(tested).toContain('✓ initialize');
    expect(resources).toMatch(/^offers-everything \w+:/m);
    expect(prompts).toMatch(/^offers-everything\.\w+/m);
    expect(testbed.exists('own/catalogs')).toBe(false);
  });

  test('is a URL', async () => {
    const testbed = newTestbed();
    const url = await urlOf('well-behaved');
    const [tools, called, tested] = await Promise.all([
      testbed.run(['tools', url]),
      testbed.run(['call', `${url}?team=a`, 'echo', 'text=hi']),
      testbed.run(['test', url, '--json']),
    ]);
    expect([tools.status, tools.stderr, tools.stdout]).toEqual([
      0,
      '',
      expect.stringMatching(/^127\.0\.0\.1\.echo\(/m),
    ]);
    expect(called).toEqual({ status: 0, stdout: 'hi\n', stderr: '' });
    expect(JSON.parse(tested.stdout)).toMatchObject({ servers: [{ id: '127.0.0.1', ok: true }] });
  });

  test.each([
    ['an unknown tool', ['call', 'ehco', 'text=x', ...commandOf('well-behaved')], 5, 'Did you mean well-behaved.echo?'],
    ['a wrong argument', ['call', 'add', 'a=x', ...commandOf('well-behaved')], 2, 'See: switchboard mcp tools -- '],
    ['a server that dies', ['tools', ...commandOf('dies-at-start')], 4, 'Run: switchboard mcp test -- '],
    ['a program that does not exist', ['test', '--', 'no-such-program'], 4, 'no-such-program'],
    ['an invalid URL', ['tools', 'http://'], 2, 'is not a valid URL'],
    ['a URL and a command', ['tools', 'https://x.example', '--', 'node'], 2, 'Give a URL or a command, not both.'],
    ['two servers', ['test', 'a', '--', 'node'], 2, 'Unexpected argument a.'],
    ['no tool', ['call', 'https://x.example/mcp'], 2, 'is missing'],
  ])('%s is reported with a command that can be typed', async (_, args, expected, message) => {
    const { status, stdout, stderr } = await newTestbed().run(args);
    expect([status, stdout === '' || args[0] === 'test', stderr]).toEqual([
      ...[expected, true],
      expect.stringContaining(message),
    ]);
    expect(stderr).not.toContain('()');
  });

  test('that needs a sign-in is to be added first', async () => {
    await using server = await openSignInServer();
    const { status, stderr } = await newTestbed().run(['tools', `${server.origin}/mcp`]);
    expect([status, stderr]).toEqual([
      3,
      expect.stringContaining(`Run: switchboard mcp add 127-0-0-1 ${server.origin}/mcp`),
    ]);
    expect(stderr).not.toContain('mcp login');
  });
});

describe('key:value', () => {
  const SCHEMA = `{ type: 'object', properties: { url: { type: 'string' }, 'xml:lang': { type: 'string' }, n: { type: 'number' } } }`;
  const BODY = `serve({ tools: { show: { description: 'Shows', inputSchema: ${SCHEMA}, call: (args) => text(JSON.stringify(args)) } } });`;

  test.each([
    [['n:3'], { n: 3 }],
    [['url:https://a.example/?b=c'], { url: 'https://a.example/?b=c' }],
    [['url=https://a.example/?b=c'], { url: 'https://a.example/?b=c' }],
    [['xml:lang=de'], { 'xml:lang': 'de' }],
    [['n:=4', 'url:x'], { n: 4, url: 'x' }],
  ])('%j separates at the first = or : after a known name', async (words, args) => {
    const testbed = newTestbed();
    configure(testbed, { own: ownServer(testbed, BODY) });
    const { status, stdout, stderr } = await testbed.run(['call', 'own.show', ...words]);
    expect([status, stderr, JSON.parse(stdout)]).toEqual([0, '', args]);
  });
});

describe('--plain', () => {
  const RESULT = `{ content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }], structuredContent: { n: 1 } }`;
  const BODY = `serve({ tools: { pair: { description: 'x', inputSchema: { type: 'object' }, call: () => (${RESULT}) } } });`;

  test('prints the text alone, or the structured content as JSON', async () => {
    const testbed = newTestbed();
    configure(testbed, {
      own: ownServer(testbed, BODY),
      one: fixture('well-behaved'),
      logs: fixture('offers-everything'),
    });
    expect(
      await Promise.all([
        testbed.run(['call', 'own.pair', '--plain']),
        testbed.run(['call', 'one.add', 'a=1', 'b=2', '--plain']),
        testbed.run(['call', 'logs.log', 'level=warning', 'data=x', '--plain']),
      ]),
    ).toEqual(['{"n":1}', '3', 'told'].map((text) => ({ status: 0, stdout: `${text}\n`, stderr: '' })));
    expect((await testbed.run(['call', 'own.pair', '--plain', '--json'])).status).toBe(2);
  });
});

test('a changed list is reported only with --verbose', async () => {
  const testbed = newTestbed();
  const body = `serve({ tools: { change: { description: 'x', inputSchema: { type: 'object' }, async call(_, { peer }) { await peer.notify('notifications/tools/list_changed', {}); await peer.notify('notifications/resources/updated', { uri: 'a://b' }); return text('done'); } } } });`;
  configure(testbed, { own: ownServer(testbed, body) });
  expect(await testbed.run(['call', 'own.change'])).toEqual({ status: 0, stdout: 'done\n', stderr: '' });
  const { stderr } = await testbed.run(['call', 'own.change', '--verbose']);
  expect(stderr).toContain('[mcp own] tools/list_changed\n[mcp own] resources/updated {"uri":"a://b"}\n');
});
