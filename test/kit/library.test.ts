import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, test } from 'vitest';
import { recordMessages } from '../interop/inbox.ts';
import { openSdkClient, sdkKinds } from '../interop/sdk-client.ts';
import { trackProcesses } from '../processes.ts';

/** A server with resources as a real process, tested with a raw client and the official clients. */
const processes = trackProcesses();
const library = fileURLToPath(new URL('./fixtures/library.mjs', import.meta.url));
const program = () => ({ command: process.execPath, args: [library], env: processes.env() });
const one = { uri: 'book://one', name: 'one', mimeType: 'text/plain' };
const content = (uri: string, text: string) => ({ contents: [{ uri, mimeType: 'text/plain', text }] });

/** Writes lines unchanged; `next` resolves with the next received line. */
function openRaw() {
  const { command, args, env } = program();
  const server = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  return {
    say: (message: object) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    next: async () => JSON.parse((await lines.next()).value),
    async close() {
      const exited = once(server, 'exit');
      server.stdin.end();
      return (await exited)[0];
    },
  };
}

describe('over raw lines', () => {
  test('a missing resource is an error, and an existing one is read and subscribed to', async () => {
    const raw = openRaw();
    const ask = async (id: number, method: string, params: object = {}) => {
      raw.say({ id, method, params });
      return raw.next();
    };
    await ask(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {} });
    raw.say({ method: 'notifications/initialized' });
    expect(await ask(2, 'resources/read', { uri: 'book://two' })).toEqual({
      jsonrpc: '2.0',
      id: 2,
      error: { code: -32002, message: 'There is no resource book://two.', data: { uri: 'book://two' } },
    });
    expect(await ask(3, 'resources/read', { uri: 'book://one' })).toEqual({
      jsonrpc: '2.0',
      id: 3,
      result: content('book://one', 'first'),
    });
    expect(await ask(4, 'resources/subscribe', { uri: 'book://one' })).toEqual({ jsonrpc: '2.0', id: 4, result: {} });
    const write = { name: 'write', arguments: { uri: 'book://one', text: 'second' } };
    expect(await ask(5, 'tools/call', write)).toMatchObject({ id: 5 });
    expect(await raw.next()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/resources/updated',
      params: { uri: 'book://one' },
    });
    expect(await raw.close()).toBe(0);
  });

  test('an elicitation outside of any call ends when the client disconnects, without delaying the exit', async () => {
    const raw = openRaw();
    raw.say({ id: 1, method: 'initialize', params: { capabilities: { elicitation: {} } } });
    await raw.next();
    raw.say({ id: 2, method: 'tools/call', params: { name: 'ask-later' } });
    expect((await raw.next()).result.content).toEqual([{ type: 'text', text: 'true' }]);
    expect(await raw.next()).toMatchObject({ method: 'elicitation/create', params: { message: 'Sure?' } });
    expect(await raw.close()).toBe(0);
  });
});

describe.each(sdkKinds)('the official client (%s)', (kind) => {
  test('lists, reads and subscribes to resources', async () => {
    await using client = await openSdkClient(kind, program());
    expect(await client.sdk.listResources()).toMatchObject({ resources: [one] });
    expect(await client.sdk.listResourceTemplates()).toMatchObject({
      resourceTemplates: [{ uriTemplate: 'book://{name}', name: 'book' }],
    });
    await expect(client.sdk.readResource({ uri: 'book://none' })).rejects.toMatchObject({
      // The newer client reports the code of its own era for both.
      code: kind === 'version 1' ? -32002 : -32602,
      data: { uri: 'book://none' },
    });
    expect(await client.sdk.readResource({ uri: 'book://one' })).toEqual(content('book://one', 'first'));
    await client.sdk.subscribeResource({ uri: 'book://two' });
    await client.callTool('write', { uri: 'book://two', text: 'new' });
    await client.callTool('write', { uri: 'book://one', text: 'again' });
    await client.waitFor(({ method }) => method === 'notifications/resources/updated');
    expect(client.notified('notifications/resources/updated')).toEqual([{ uri: 'book://two' }]);
    expect(client.notified('notifications/resources/list_changed')).toHaveLength(1);
    await client.sdk.unsubscribeResource({ uri: 'book://two' });
  });

  test('is prompted outside of its calls', async () => {
    const answer = { action: 'accept', content: { sure: true } } as const;
    await using client = await openSdkClient(kind, program(), { elicitation: () => answer });
    expect(await client.callTool('ask-later')).toMatchObject({ content: [{ text: 'true' }] });
    const { params } = await client.waitFor(({ method }) => method === 'library/outcome');
    expect(params).toEqual({ requestId: expect.any(Number), name: 'interop', outcome: answer });
  });

  test('is not prompted without the capability', async () => {
    await using client = await openSdkClient(kind, program());
    expect(await client.callTool('ask-later')).toMatchObject({ content: [{ text: 'false' }] });
    const { params } = await client.waitFor(({ method }) => method === 'library/outcome');
    expect(params).toMatchObject({ outcome: { code: 'CAPABILITY_MISSING' } });
  });
});

test('the official client in the modern era reads and subscribes to resources', async () => {
  const transport = new StdioClientTransport({ ...program(), stderr: 'ignore' });
  const inbox = recordMessages(transport);
  const client = new Client(
    { name: 'interop', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  await client.connect(transport);
  expect(client.getProtocolEra()).toBe('modern');
  expect((await client.listResources()).resources).toEqual([one]);
  await expect(client.readResource({ uri: 'book://none' })).rejects.toMatchObject({ code: -32602 });
  expect((await client.readResource({ uri: 'book://one' })).contents).toEqual(content('book://one', 'first').contents);
  const wanted = { resourcesListChanged: true, resourceSubscriptions: ['book://two'] };
  const subscription = await client.listen(wanted);
  expect(subscription.honoredFilter).toEqual(wanted);
  await client.callTool({ name: 'write', arguments: { uri: 'book://two', text: 'new' } });
  await inbox.waitFor(({ method }) => method === 'notifications/resources/updated');
  expect(inbox.notified('notifications/resources/updated')).toMatchObject([{ uri: 'book://two' }]);
  expect(inbox.notified('notifications/resources/list_changed')).toHaveLength(1);
  await subscription.close();
  await client.close();
});
