import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createServer, type Refusal, type ServerOptions } from '../../src/kit/index.ts';
import { createTestClient } from '../../src/kit/testing.ts';
import { openRawClient } from './raw-client.ts';

const info = { name: 'test', version: '1.0.0' };
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

describe('extra members of the server info', () => {
  const extra = { user_agent: 'test/1.0.0', icons: [], name: 'other', version: '9' };

  test('are added to the name and never replace it, in both eras', async () => {
    const client = openRawClient(createServer({ ...info, title: 'Test', instructions: 'Be brief.', extra }));
    const { result } = await client.request('initialize', {});
    const serverInfo = { ...info, title: 'Test', user_agent: 'test/1.0.0', icons: [] };
    expect(result).toMatchObject({ serverInfo, instructions: 'Be brief.' });
    expect(JSON.stringify(result?.['serverInfo'])).toBe(JSON.stringify(serverInfo));
    const discovery = await client.request('server/discover', { _meta: envelope });
    expect(discovery.result?.['_meta']).toEqual({ 'io.modelcontextprotocol/serverInfo': serverInfo });
    await client.close();
  });
});

test('explicit capabilities replace the derived ones', async () => {
  const capabilities = { tools: { listChanged: true } };
  const client = openRawClient(createServer(info, { capabilities }));
  expect((await client.request('initialize', {})).result?.['capabilities']).toEqual(capabilities);
  const { result } = await client.request('server/discover', { _meta: envelope });
  expect(result?.['capabilities']).toEqual(capabilities);
  await client.close();
});

test('a bare "initialized" makes a client ready', async () => {
  const server = createServer(info);
  const client = openRawClient(server);
  await client.request('initialize', {});
  server.tool('early', { description: '' }, () => '');
  await client.request('ping');
  client.notify('initialized');
  await client.request('ping');
  server.tool('late', { description: '' }, () => '');
  await client.request('ping');
  expect(client.notifications).toEqual([{ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }]);
  await client.close();
});

describe('a custom refusal', () => {
  const createPicky = (options: ServerOptions) =>
    createServer(info, options)
      .tool('add', { description: '', input: z.object({ a: z.number() }) }, ({ a }) => a)
      .tool(
        'sum',
        { description: '', input: z.object({ a: z.number() }), output: z.object({ sum: z.number() }) },
        ({ a }) => ({ sum: a }),
      );

  test('that throws falls back to ours, and onError gets the error', async () => {
    const reported: unknown[] = [];
    const refuse = () => {
      throw new Error('lost for words');
    };
    const onError = (error: unknown, tool: string) => reported.push([String(error), tool]);
    const client = await createTestClient(createPicky({ refuse, onError }));
    expect(await client.callTool('gone')).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^unknown tool: gone/) }],
    });
    expect(await client.callTool('add')).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^Invalid arguments/) }],
    });
    expect(reported).toEqual([
      ['Error: lost for words', 'gone'],
      ['Error: lost for words', 'add'],
    ]);
    await client.close();
  });

  test.each(['legacy', 'modern'] as const)('is the whole result in the %s era', async (era) => {
    const refusals: Refusal[] = [];
    const refuse = (refusal: Refusal) => {
      refusals.push(refusal);
      return `no:\n${refusal.kind}`;
    };
    const client = await createTestClient(createPicky({ refuse }), { era });
    const refused = (kind: string) => ({ content: [{ type: 'text', text: `no:\n${kind}` }], isError: true });
    const outcome = async (name: string, args?: unknown) => {
      const { content, isError, _meta } = await client.callTool(name, args);
      return { content, isError, code: _meta?.['switchboard/error'] };
    };
    expect(await outcome('gone')).toEqual({ ...refused('unknown-tool'), code: undefined });
    expect(await outcome('add', { a: 'x' })).toEqual({ ...refused('bad-arguments'), code: undefined });
    expect(await outcome('sum', { a: 'x' })).toEqual({ ...refused('bad-arguments'), code: undefined });
    expect(refusals).toEqual([
      { kind: 'unknown-tool', name: 'gone' },
      { kind: 'bad-arguments', tool: 'add', problems: [expect.stringContaining('a')], arguments: { a: 'x' } },
      { kind: 'bad-arguments', tool: 'sum', problems: [expect.stringContaining('a')], arguments: { a: 'x' } },
    ]);
    await client.close();
  });

  test('that is undefined falls back to ours', async () => {
    const client = await createTestClient(createPicky({ refuse: () => undefined }));
    expect(await client.callTool('gone')).toMatchObject({ _meta: { 'switchboard/error': { code: 'TOOL_NOT_FOUND' } } });
    expect(await client.callTool('sum')).toMatchObject({ _meta: { 'switchboard/error': { code: 'BAD_ARGUMENTS' } } });
    await client.close();
  });
});
