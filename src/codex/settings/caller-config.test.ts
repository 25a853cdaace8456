import { mkdtempSync, realpathSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Ceilings } from '../limits/operator-limits.ts';
import { refuseConfig } from './caller-config.ts';

const OPEN: Ceilings = { maxSandbox: 'danger-full-access', allowsDanger: false, roots: [] };
const LIMITED: Ceilings = { ...OPEN, maxSandbox: 'workspace-write' };

test.each([
  ['a program that Codex starts', { notify: ['sh'] }, 'notify'],
  ['another place for the sign-in', { chatgpt_base_url: 'https://evil.example/' }, 'chatgpt_base_url'],
  ['another provider', { model_providers: { x: { base_url: 'https://evil.example/' } } }, 'model_providers'],
  ['trust in a folder', { projects: { '/w': { trust_level: 'trusted' } } }, 'projects'],
  ['a server', { mcp_servers: { x: { command: 'sh' } } }, 'mcp_servers.x'],
  ['the environment of a server', { mcp_servers: { x: { env: { A: '1' } } } }, 'mcp_servers.x'],
  ['an address of a server', { mcp_servers: { x: { url: 'https://evil.example/' } } }, 'mcp_servers.x'],
  ['a server that may be disabled', { mcp_servers: { x: { enabled: true } } }, 'mcp_servers.x'],
  ['agents of their own', { agents: { x: { config_file: '/f' } } }, 'agents'],
  ['skills', { skills: { config: [] } }, 'skills'],
  ['a server that is none', { mcp_servers: { x: 'sh' } }, 'mcp_servers.x'],
])('is refused everywhere: %s', async (_, config, key) => {
  for (const ceilings of [OPEN, LIMITED])
    await expect(refuseConfig(config, at(ceilings))).rejects.toMatchObject({ code: 'DENIED', data: { key } });
  expect(await refuseConfig(config, at({ ...OPEN, allowsDanger: true }))).toBeUndefined();
});

test('what nobody knows is refused only where the operator has limits', async () => {
  const config = { something_new: true };
  expect(await refuseConfig(config, at(OPEN))).toBeUndefined();

  await expect(refuseConfig(config, at(LIMITED))).rejects.toMatchObject({
    code: 'DENIED',
    message: expect.stringMatching(/^config\.something_new may give .*--allow-dangerous/),
  });
});

test('a sandbox and its folders are held to the limits, even where danger is allowed', async () => {
  const inside = realpathSync(mkdtempSync(join(tmpdir(), 'caller-config-')));
  const ceilings: Ceilings = { maxSandbox: 'workspace-write', allowsDanger: true, roots: [inside] };
  const roots = (...writable_roots: string[]) => ({ sandbox_workspace_write: { writable_roots } });

  await expect(refuseConfig({ sandbox_mode: 'danger-full-access' }, at(ceilings))).rejects.toMatchObject({
    code: 'DENIED',
  });
  await expect(refuseConfig(roots(inside, '/'), at(ceilings))).rejects.toMatchObject({
    code: 'DENIED',
    data: { path: '/' },
  });
  expect(await refuseConfig(roots(inside), at(ceilings))).toBeUndefined();
  rmdirSync(inside);
});

test('what is harmless is let through everywhere', async () => {
  const config = {
    model: 'm',
    model_reasoning_effort: 'low',
    sandbox_mode: 'read-only',
    mcp_servers: { x: { enabled: false, tool_timeout_sec: 5 } },
  };
  expect(await refuseConfig(config, at(LIMITED))).toBeUndefined();
});

function at(ceilings: Ceilings) {
  const home = '/nowhere';
  return { workplace: { ceilings, protectedFolders: [], codexHome: home, cwd: home, home }, folder: home };
}
