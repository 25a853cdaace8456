import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import type { Message } from '../gateway/harness.ts';
import { verifies } from '../verifies.ts';
import { gatewayHttpHarness } from './harness.ts';
import { RawClient } from './raw-client.ts';

const { openGateway } = gatewayHttpHarness();

const toolNames = ({ result }: Message): string[] => result.tools.map(({ name }: { name: string }) => name);

describe.each(['legacy', 'modern'] as const)('a %s client', (era) => {
  const open = async (url: string, capabilities = {}) => {
    const client = new RawClient(url, era);
    client.capabilities = capabilities;
    if (era === 'legacy') await client.initialize(capabilities);
    return client;
  };

  test('lists and calls the tools of all servers at /mcp', async () => {
    const { url } = await openGateway({ one: fixture('well-behaved'), two: fixture('well-behaved') });
    const client = await open(url);
    expect(toolNames(await client.request('tools/list'))).toEqual(expect.arrayContaining(['one__echo', 'two__echo']));
    expect((await client.call('two__echo', { text: 'hi' })).result.content).toEqual([{ type: 'text', text: 'hi' }]);
  });

  verifies(
    'gateway:http:own-names',
    'sees one server under its own names, with its own description, at /mcp/<server>',
    async () => {
      const { url } = await openGateway({ one: fixture('offers-everything'), two: fixture('gives-instructions') });
      const client = await open(`${url}/one`);
      expect(toolNames(await client.request('tools/list'))).toContain('touch');
      const resources = (await client.request('resources/list')).result.resources;
      expect(resources.map(({ uri }: { uri: string }) => uri)).toEqual(['test://one/listed', 'test://shared']);
      expect((await client.request('prompts/list')).result.prompts).toMatchObject([{ name: 'greet' }]);
      expect((await client.request('prompts/get', { name: 'greet' })).result.messages).toHaveLength(1);
      const ref = { type: 'ref/prompt', name: 'greet' };
      expect((await client.request('completion/complete', { ref, argument: {} })).result.completion).toBeDefined();
      expect((await client.request('vendor/inspect', {})).result).toMatchObject({ by: 'one' });
      expect((await client.request('resources/read', { uri: 'test://shared' })).result.contents).toHaveLength(1);
      expect((await client.request('resources/read', { uri: 'switchboard://status' })).error).toBeDefined();
      expect((await client.call('one__touch')).error?.code).toBe(-32602);
      expect((await client.call('log', { level: 'info', data: 1 })).result.content[0].text).toBe('told');
    },
  );

  test('is described by the server at /mcp/<server>', async () => {
    const { url } = await openGateway({ one: fixture('gives-instructions', 'Read me.') });
    const client = new RawClient(`${url}/one`, era);
    const { result } =
      era === 'legacy' ? ((await client.initialize()).response ?? {}) : await client.request('server/discover');
    expect(result.instructions).toBe('Read me.');
    const serverInfo = era === 'legacy' ? result.serverInfo : result._meta['io.modelcontextprotocol/serverInfo'];
    expect(serverInfo.name).toBe('gives-instructions');
  });

  test('gets an error if the server at /mcp/<server> cannot be started', async () => {
    const { url } = await openGateway({ one: fixture('dies-at-start'), two: fixture('well-behaved') });
    const client = new RawClient(`${url}/one`, era);
    const response = era === 'legacy' ? (await client.initialize()).response : await client.request('server/discover');
    expect(response?.error?.message).toContain('one');
    expect((await fetch(`${url}/none`, { method: 'POST' })).status).toBe(404);
  });

  test('sees a view at /mcp/@<view>', async () => {
    const views = { review: { servers: ['two'] } };
    const { url } = await openGateway({ one: fixture('well-behaved'), two: fixture('well-behaved') }, { views });
    const client = await open(`${url}/@review`);
    const names = toolNames(await client.request('tools/list'));
    expect(names).toContain('two__echo');
    expect(names.filter((name) => name.startsWith('one__'))).toEqual([]);
    expect((await fetch(`${url}/@none`, { method: 'POST' })).status).toBe(404);
  });

  test('follows a server at /mcp/<server> that is replaced by a reload', async () => {
    const { url, apply } = await openGateway({ one: fixture('well-behaved') });
    const client = await open(`${url}/one`);
    await client.call('echo', { text: 'before' });
    apply({ one: { ...fixture('well-behaved'), env: { CHANGED: '1' } } });
    expect((await client.call('echo', { text: 'after' })).result.content[0].text).toBe('after');
    apply({ two: fixture('well-behaved') });
    expect((await client.call('echo', { text: 'gone' })).error).toBeDefined();
  });

  test('gets progress on the response of its own call only', async () => {
    const { url } = await openGateway({ one: fixture('floods-progress') });
    const clients = await Promise.all([open(url), open(url), open(url)]);
    await Promise.all(clients.map((client) => client.request('tools/list')));
    const results = await Promise.all(
      clients.flatMap((client, index) =>
        [1, 2].map((factor) => {
          const args = { name: 'one__flood', arguments: { count: (index + 1) * factor } };
          return client.exchange('tools/call', args, { id: 7, meta: { progressToken: 7 } });
        }),
      ),
    );
    expect(results.map(({ response }) => response?.result.content[0].text)).toEqual(
      [1, 2, 2, 4, 3, 6].map((count) => `sent ${count}`),
    );
    for (const { messages, response } of results) {
      const count = Number(response?.result.content[0].text.slice(5));
      expect(messages.slice(0, -1).map(({ params }) => params)).toEqual(
        Array.from({ length: count }, (_, at) => ({ progressToken: 7, progress: at + 1, total: count })),
      );
    }
  });
});
