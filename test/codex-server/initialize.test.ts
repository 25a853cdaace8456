import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../codex/json.ts';
import { trackProcesses } from '../processes.ts';
import { sendMessages } from './send-messages.ts';

const processes = trackProcesses();

const hello = (id: number): JsonObject => ({
  jsonrpc: '2.0',
  id,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});
const ping = (id: number): JsonObject => ({ jsonrpc: '2.0', id, method: 'ping' });
const list = (id: number): JsonObject => ({ jsonrpc: '2.0', id, method: 'tools/list' });

describe.each(['core', 'full', 'compat', 'all'])('the server with --tools %s', (tools) => {
  test('answers initialize early exactly as it would later, and only once', async () => {
    const early = await sendMessages(processes.env(), ['--tools', tools], [hello(1), list(2)]);
    const late = await sendMessages(processes.env(), ['--tools', tools], [ping(0), hello(1), list(2)]);

    expect(early.map(({ id }) => id)).toEqual([1, 2]);
    expect(late.map(({ id }) => id)).toEqual([0, 1, 2]);
    expect(early).toEqual(late.slice(1));
  });
});

test('the server ignores an initialize request with id null and answers the next request', async () => {
  const [answer] = await sendMessages(
    processes.env(),
    [],
    [{ jsonrpc: '2.0', id: null, method: 'initialize', params: {} }, ping(1)],
  );
  expect(answer).toMatchObject({ id: 1, result: {} });
});

test('a client that disconnects without sending anything does not keep the server running', async () => {
  expect(await sendMessages(processes.env(), [], [])).toEqual([]);
});
