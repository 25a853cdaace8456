import { mkdtempSync, realpathSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { OperatorLimits } from '../limits/operator-limits.ts';
import { assertConfigAllowed } from './caller-config.ts';

const OPEN: OperatorLimits = { maxSandbox: 'danger-full-access', allowsDanger: false, roots: [] };
const LIMITED: OperatorLimits = { ...OPEN, maxSandbox: 'workspace-write' };

test.each([
  ['a program for Codex to start', { notify: ['sh'] }, 'notify'],
  ['another sign-in URL', { chatgpt_base_url: 'https://evil.example/' }, 'chatgpt_base_url'],
  ['another model provider', { model_providers: { x: { base_url: 'https://evil.example/' } } }, 'model_providers'],
  ['trust in a folder', { projects: { '/w': { trust_level: 'trusted' } } }, 'projects'],
  ['an MCP server', { mcp_servers: { x: { command: 'sh' } } }, 'mcp_servers.x'],
  ['the environment of an MCP server', { mcp_servers: { x: { env: { A: '1' } } } }, 'mcp_servers.x'],
  ['the URL of an MCP server', { mcp_servers: { x: { url: 'https://evil.example/' } } }, 'mcp_servers.x'],
  ['enabling an MCP server', { mcp_servers: { x: { enabled: true } } }, 'mcp_servers.x'],
  ['custom agents', { agents: { x: { config_file: '/f' } } }, 'agents'],
  ['skills', { skills: { config: [] } }, 'skills'],
  ['an invalid MCP server', { mcp_servers: { x: 'sh' } }, 'mcp_servers.x'],
])('is always rejected: %s', async (_, config, key) => {
  for (const operatorLimits of [OPEN, LIMITED])
    await expect(assertConfigAllowed(config, at(operatorLimits))).rejects.toMatchObject({
      code: 'DENIED',
      data: { key },
    });
  expect(await assertConfigAllowed(config, at({ ...OPEN, allowsDanger: true }))).toBeUndefined();
});

test('rejects unknown keys only under limits', async () => {
  const config = { something_new: true };
  expect(await assertConfigAllowed(config, at(OPEN))).toBeUndefined();

  await expect(assertConfigAllowed(config, at(LIMITED))).rejects.toMatchObject({
    code: 'DENIED',
    message: expect.stringMatching(/^config\.something_new may give .*--allow-dangerous/),
  });
});

test('applies limits to a sandbox and its folders, even if danger is allowed', async () => {
  const inside = realpathSync(mkdtempSync(join(tmpdir(), 'caller-config-')));
  const operatorLimits: OperatorLimits = { maxSandbox: 'workspace-write', allowsDanger: true, roots: [inside] };
  const roots = (...writable_roots: string[]) => ({ sandbox_workspace_write: { writable_roots } });

  await expect(assertConfigAllowed({ sandbox_mode: 'danger-full-access' }, at(operatorLimits))).rejects.toMatchObject({
    code: 'DENIED',
  });
  await expect(assertConfigAllowed(roots(inside, '/'), at(operatorLimits))).rejects.toMatchObject({
    code: 'DENIED',
    data: { path: '/' },
  });
  expect(await assertConfigAllowed(roots(inside), at(operatorLimits))).toBeUndefined();
  rmdirSync(inside);
});

test('always accepts harmless settings', async () => {
  const config = {
    model: 'm',
    model_reasoning_effort: 'low',
    sandbox_mode: 'read-only',
    mcp_servers: { x: { enabled: false, tool_timeout_sec: 5 } },
  };
  expect(await assertConfigAllowed(config, at(LIMITED))).toBeUndefined();
});

function at(operatorLimits: OperatorLimits) {
  const home = '/nowhere';
  return {
    serverContext: { operatorLimits, protectedFolders: [], codexHome: home, cwd: home, home },
    folder: home,
  };
}
