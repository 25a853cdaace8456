import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { startCodex } from './codex-process.ts';
import { runCodexExec } from './exec.ts';
import { createCodexHome } from './home.ts';
import { openModel } from './model.ts';
import { script } from './script.ts';

test('Codex reads every string of the configuration as intended', async () => {
  const odd = {
    command: 'C:\\dir\\"x"',
    args: ["it's", 'a\nb\tc', '$HOME # %', '\u0001\u007f é 日本 🎈'],
    cwd: '/a b',
  };
  const env = { 'A.B C': 'x = "y"', PLAIN: '' };
  await using home = await createCodexHome({
    modelUrl: 'http://127.0.0.1:9/v1',
    mcpServers: { odd: { ...odd, env, default_tools_approval_mode: 'approve', startup_timeout_sec: 2.5 } },
    extra: { features: { mcp_tool_list_changed: true } },
  });
  await using codex = await startCodex({ home, args: ['mcp', 'get', 'odd', '--json'] });
  const [answer, { exitCode }] = await Promise.all([text(codex.stdout), codex.exited]);

  // In a clone below the system's temporary folder, Codex reports that it creates no shortcuts there.
  const complaints = codex
    .stderr()
    .split('\n')
    .filter((line) => line !== '' && !line.includes('PATH aliases'));
  expect({ exitCode, complaints }).toEqual({ exitCode: 0, complaints: [] });
  expect(JSON.parse(answer)).toMatchObject({ startup_timeout_sec: 2.5, transport: { ...odd, env } });
});

test('Codex does not treat the folders around its own as its project', async () => {
  await using model = await openModel();
  await using home = await createCodexHome({ modelUrl: model.url });
  await writeFile(join(home.rootDir, 'AGENTS.md'), 'advice from outside');
  await writeFile(join(home.workDir, 'AGENTS.md'), 'advice from inside');
  await runCodexExec({ home, prompt: script([{ message: 'done' }]), timeoutMs: 50_000 });

  const sent = JSON.stringify(model.requests);
  expect(sent).toContain('advice from inside');
  expect(sent).not.toContain('advice from outside');
});

test('removing a home leaves nothing behind', async () => {
  const home = await createCodexHome({ modelUrl: 'http://127.0.0.1:9/v1' });
  expect(existsSync(home.workDir)).toBe(true);
  await home.remove();
  await home.remove();
  expect(existsSync(home.rootDir)).toBe(false);
});
