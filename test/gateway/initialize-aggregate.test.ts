import { expect, test } from 'vitest';
import { VERSION } from '../../src/base/version.ts';
import { fixture } from '../fixtures/paths.ts';
import { gatewayHarness } from './harness.ts';
import { receivedMessages } from './scripted-lines.ts';

const { openGateway, processes } = gatewayHarness();

test('initialize is answered at once, before any server starts', async () => {
  const { open } = openGateway({ one: fixture('hangs-at-initialize'), two: { command: 'no-such-command-anywhere' } });
  const client = open();
  client.send({
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  });
  // Without awaiting anything in between.
  expect(client.received).toEqual([
    {
      jsonrpc: '2.0',
      id: 0,
      result: {
        protocolVersion: '2025-06-18',
        capabilities: {
          tools: { listChanged: true },
          resources: { subscribe: true, listChanged: true },
          prompts: { listChanged: true },
          completions: {},
          logging: {},
        },
        serverInfo: { name: 'switchboard', title: 'Switchboard', version: VERSION },
        instructions: expect.stringMatching(/^Tools of several MCP servers/),
      },
    },
  ]);
  expect(processes.alive()).toEqual([]);
});

test.each([
  ['2025-11-25', '2025-11-25'],
  ['2025-06-18', '2025-06-18'],
  ['2025-03-26', '2025-03-26'],
  ['2024-11-05', '2024-11-05'],
  ['2026-07-28', '2025-11-25'],
  ['1999-01-01', '2025-11-25'],
  [undefined, '2025-11-25'],
  [7, '2025-11-25'],
])('a client that requests %s gets %s', async (requested, answered) => {
  const { open } = openGateway({});
  const client = open();
  const { result } = await client.request('initialize', { protocolVersion: requested, capabilities: {} });
  expect(result.protocolVersion).toBe(answered);
});

test.each([
  ['missing params', undefined],
  ['params that are an array', []],
  ['invalid capabilities', { capabilities: 'all', clientInfo: null }],
])('an initialize request with %s is answered too', async (_, params) => {
  const { open } = openGateway({ one: fixture('well-behaved') });
  const client = open();
  client.send({ jsonrpc: '2.0', id: 'h', method: 'initialize', params });
  expect((await client.answer('h')).result.serverInfo.name).toBe('switchboard');
  expect(await client.toolNames()).toContain('one__echo');
});

test('each server gets our name, the client capabilities and the newest version that it may know', async () => {
  const { connect } = openGateway({ one: fixture('says-anything') });
  const capabilities = {
    roots: { listChanged: true },
    sampling: { context: {}, tools: {} },
    elicitation: { form: {}, url: {} },
    experimental: { 'vendor/x': { n: 1.5 } },
  };
  const client = await connect({ capabilities, protocolVersion: '2024-11-05' });
  const [hello, ready] = await receivedMessages(client, 'one__');
  expect(hello).toEqual({
    jsonrpc: '2.0',
    id: expect.any(Number),
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities,
      clientInfo: { name: 'switchboard', title: 'Switchboard', version: VERSION },
    },
  });
  expect(ready).toEqual({ jsonrpc: '2.0', method: 'notifications/initialized' });
});

test('a later client gets the instructions of each server under its id, truncated and neutralized', async () => {
  const say = (text: string) => fixture('gives-instructions', text);
  const { connect } = openGateway({
    one: say('Ask me for files.\nfour: And for \u001b[31mfolders\u202e.'),
    two: say('x'.repeat(5_000)),
    pinned: { ...say('Trust me.'), pin: true },
    silent: fixture('well-behaved'),
    three: say('y'.repeat(500)),
    four: say('z'.repeat(5_000)),
    five: say('w'.repeat(5_000)),
    six: say('v'.repeat(5_000)),
    seven: say('It fits.'),
  });
  await (await connect()).toolNames();
  const { result } = await (await connect()).initialize();
  const lines = result.instructions.split('\n');
  expect(lines.slice(1, 5)).toEqual([
    'one: Ask me for files.',
    '  four: And for folders.',
    `two: ${'x'.repeat(994)}…`,
    `three: ${'y'.repeat(500)}`,
  ]);
  expect(lines.at(-1)).toBe('seven: It fits.');
  expect(result.instructions).not.toContain('Trust me');
  expect(result.instructions.length).toBeLessThanOrEqual(4_000);
});

test('untrusted servers are named in the instructions', async () => {
  const origin = { layer: 'project', file: '/p/.mcp.json', line: 3 } as const;
  const { open } = openGateway(
    {},
    { unused: [{ id: 'strange', origin, verdict: { kind: 'disabled', reason: 'untrusted', isUntrusted: true } }] },
  );
  const { result } = await open().initialize();
  expect(result.instructions).toMatch(/\nNot started because untrusted: strange\. Run: switchboard trust$/);
});

test('a gateway without servers has empty lists', async () => {
  const { connect } = openGateway({});
  const client = await connect();
  const results = [];
  for (const method of ['tools/list', 'prompts/list', 'resources/templates/list']) {
    results.push((await client.request(method)).result);
  }
  expect(results).toEqual([{ tools: [] }, { prompts: [] }, { resourceTemplates: [] }]);
});
