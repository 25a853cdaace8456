import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioClientTransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, test } from 'vitest';
import { findCodex } from '../codex/codex-binary.ts';
import { runCodexExec } from '../codex/exec.ts';
import { createCodexHome } from '../codex/home.ts';
import { openModel } from '../codex/model.ts';
import { toolOutputs } from '../codex/model-request.ts';
import { script } from '../codex/script.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';

/** The ten-line server of the README, with every kind of client. */
const processes = trackProcesses();
const echo = fileURLToPath(new URL('../../examples/echo.mjs', import.meta.url));
const server = () => ({ command: process.execPath, args: [echo], env: processes.env() });
const info = { name: 'interop', version: '1.0.0' };
const tool = {
  name: 'echo',
  description: 'Says the message again.',
  inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
  annotations: { readOnlyHint: true },
};
const content = [{ type: 'text', text: 'You said: hi' }];

describe('the official SDK', () => {
  test('version 1', { timeout: 120_000 }, async () => {
    const client = new ClientV1(info);
    await client.connect(new StdioClientTransportV1(server()));
    expect(client.getServerVersion()).toEqual({ name: 'echo', version: '1.0.0' });
    expect((await client.listTools()).tools).toEqual([tool]);
    expect(await client.callTool({ name: 'echo', arguments: { message: 'hi' } })).toEqual({ content });
    expect(await client.callTool({ name: 'echo', arguments: {} })).toMatchObject({ isError: true });
    await client.close();
  });

  test.each([
    ['by default', undefined, '2025-11-25', 'legacy'],
    ['negotiating', { mode: 'auto' }, '2026-07-28', 'modern'],
    ['pinned', { mode: { pin: '2026-07-28' } }, '2026-07-28', 'modern'],
  ] as const)('version 2, %s', { timeout: 120_000 }, async (_, versionNegotiation, version, era) => {
    const client = new Client(info, versionNegotiation === undefined ? {} : { versionNegotiation });
    await client.connect(new StdioClientTransport(server()));
    expect([client.getNegotiatedProtocolVersion(), client.getProtocolEra()]).toEqual([version, era]);
    expect((await client.listTools()).tools).toEqual([tool]);
    expect((await client.callTool({ name: 'echo', arguments: { message: 'hi' } })).content).toEqual(content);
    expect(await client.callTool({ name: 'echo', arguments: {} })).toMatchObject({ isError: true });
    await client.close();
  });
});

const callEcho = script([
  { mcp: { server: 'speaker', tool: 'echo', arguments: { message: 'hi' } } },
  { message: 'done' },
]);

describe('the real Codex', () => {
  verifies(
    ['kit:codex:config', 'kit:codex:server-name'],
    'lists and calls it from its config, under its configured name',
    async () => {
      await using model = await openModel();
      await using home = await createCodexHome({ modelUrl: model.url, mcpServers: { speaker: server() } });
      const { exitCode, events } = await runCodexExec({ home, prompt: callEcho, timeoutMs: 100_000 });
      expect(exitCode).toBe(0);
      expect(events).toContainEqual(
        expect.objectContaining({
          type: 'item.completed',
          item: expect.objectContaining({
            type: 'mcp_tool_call',
            server: 'speaker',
            tool: 'echo',
            status: 'completed',
          }),
        }),
      );
      const last = model.requests.at(-1);
      expect(last === undefined ? [] : toolOutputs(last)).toContainEqual(expect.stringContaining('You said: hi'));
    },
    120_000,
  );

  verifies(
    'kit:codex:mcp-add',
    'calls it after `codex mcp add`',
    async () => {
      await using model = await openModel();
      await using home = await createCodexHome({ modelUrl: model.url });
      const env = { ...processes.env(), CODEX_HOME: home.codexDir };
      const codex = findCodex();
      const add = [...codex.args, 'mcp', 'add', 'speaker', '--', process.execPath, echo];
      const added = spawnSync(codex.command, add, { env, encoding: 'utf8' });
      expect(added.status, added.stderr).toBe(0);
      await runCodexExec({ home, prompt: callEcho, timeoutMs: 100_000 });
      const last = model.requests.at(-1);
      expect(last === undefined ? [] : toolOutputs(last)).toContainEqual(expect.stringContaining('You said: hi'));
    },
    120_000,
  );
});
