import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { useTemporaryFolders } from '../temporary-folder.ts';
import { verifies } from '../verifies.ts';
import { gatewayHarness, type TestServer } from './harness.ts';
import { pidOf } from './server-status.ts';

const { openGateway, openSingle } = gatewayHarness();

const CHECK = 'The server may have done this; check before repeating.';
const REPEAT = 'The server may have done this; its tool is declared safe to repeat.';

const newFolder = useTemporaryFolders();

describe('a server that acts on a call and crashes before it answers', () => {
  verifies('gateway:outcome:unknown', 'gives OUTCOME_UNKNOWN, which is not retryable', async () => {
    const { server, acts } = actor();
    const client = await openGateway({ one: server }).connect();
    await client.toolNames();
    const { error } = await client.call('one__send');
    expect(error).toEqual({
      code: 1104,
      message: `Server error: one is down: it ended with exit code 1: acts-then-dies: the lights went out. ${CHECK} Run: switchboard mcp test one`,
      data: {
        kind: 'server_error',
        retryable: false,
        toolName: 'one__send',
        serverName: 'one',
        original: {
          code: 1,
          signal: null,
          lastLine: 'acts-then-dies: the lights went out',
          reason: 'PROCESS_EXITED',
        },
      },
    });
    expect((await client.call('one__echo', { text: 'back' })).result.content[0].text).toBe('back');
    expect(acts()).toEqual(['send']);
  });

  test.each(['look', 'put'])(
    'gives a retryable OUTCOME_UNKNOWN for the annotated tool %s, and runs it once',
    async (tool) => {
      const { server, acts } = actor();
      const client = await openGateway({ one: server }).connect();
      await client.toolNames();
      const { error } = await client.call(`one__${tool}`);
      expect(error).toMatchObject({ code: 1104, data: { kind: 'server_error', retryable: true } });
      expect(error?.message).toContain(REPEAT);
      expect(acts()).toEqual([tool]);
    },
  );

  test('gives the plain crash for a request that only reads', async () => {
    const { server } = actor();
    const client = await openGateway({ one: server }).connect();
    await client.request('prompts/list');
    const { error } = await client.request('prompts/get', { name: 'one__page' });
    expect(error).toMatchObject({ code: 1014, data: { retryable: true } });
  });

  test('gives Codex a result with one line of text', async () => {
    const { server } = actor();
    const client = await openGateway({ one: server }).connect({
      clientInfo: { name: 'codex-mcp-client', version: '0.166.0' },
    });
    await client.toolNames();
    const { result } = await client.call('one__send');
    expect(result).toMatchObject({
      content: [{ type: 'text', text: expect.stringContaining(CHECK) }],
      isError: true,
      _meta: { 'switchboard/error': { code: 1104, retryable: false } },
    });
  });

  test('gives OUTCOME_UNKNOWN behind `switchboard -- <command>`, retryable for tools that were listed as read-only', async () => {
    const { server } = actor();
    const client = await openSingle(server).connect();
    await client.toolNames();
    expect((await client.call('send')).error).toMatchObject({ code: 1104, data: { retryable: false } });
    expect((await client.call('look')).error).toMatchObject({ code: 1104, data: { retryable: true } });
  });
});

describe('a call that the server received and never answered', () => {
  test('is OUTCOME_UNKNOWN when the server is killed', async () => {
    const { client, gateway } = await hanging();
    process.kill(pidOf(gateway, 'one'), 'SIGKILL');
    expect((await client.answer('lost')).error).toMatchObject({ code: 1104, data: { retryable: false } });
  });

  test('is OUTCOME_UNKNOWN when the gateway stops the server', async () => {
    const { client, gateway } = await hanging();
    await Promise.all(gateway.upstreams().map((upstream) => upstream.close()));
    const { error } = await client.answer('lost');
    expect(error).toMatchObject({ code: 1104, data: { retryable: false, original: { reason: 'CONNECTION_CLOSED' } } });
    expect(error?.message).toBe(`Server error: one is being stopped. ${CHECK}`);
  });

  test('is OUTCOME_UNKNOWN when the gateway gives it up', async () => {
    const { client } = await hanging();
    client.leave();
    expect((await client.answer('lost')).error).toMatchObject({ code: 1104, data: { retryable: false } });
  });

  verifies('gateway:outcome:timeout', 'times out as TIMED_OUT, retryable only if the tool may run twice', async () => {
    const { client } = await hanging({ requestTimeoutMs: 300 });
    const { error } = await client.answer('lost');
    expect(error).toEqual({
      code: 1008,
      message: `Server error: one did not answer tools/call within 300 ms. ${CHECK}`,
      data: { kind: 'server_error', retryable: false, toolName: 'one__hang', serverName: 'one' },
    });
    const looking = await client.call('one__hang-looking');
    expect(looking.error).toMatchObject({ code: 1008, data: { retryable: true } });
  });
});

verifies('gateway:outcome:not-sent', 'a call that waits for a server that cannot start is retryable', async () => {
  const client = await openGateway({ one: fixture('dies-at-start') }).connect();
  const { error } = await client.call('one__send');
  expect(error).toMatchObject({ code: 1014, data: { retryable: true } });
  expect(error?.message).not.toContain('The server may have done this');
});

/** A client with the call `lost` that the server has received. */
async function hanging(settings: Partial<TestServer> = {}) {
  const { server, acts } = actor();
  const { connect, gateway } = openGateway({ one: { ...server, ...settings } });
  const client = await connect();
  await client.toolNames();
  client.send({ jsonrpc: '2.0', id: 'lost', method: 'tools/call', params: { name: 'one__hang', arguments: {} } });
  await expect.poll(acts, { timeout: 30_000 }).toEqual(['hang']);
  return { client, gateway };
}

function actor() {
  const file = join(newFolder(), 'acts');
  const acts = () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []);
  return { server: fixture('acts-then-dies', file), acts };
}
