import { expect } from 'vitest';
import { runCodexExec } from '../codex/exec.ts';
import { createCodexHome } from '../codex/home.ts';
import { isObject, objectsOf } from '../codex/json.ts';
import { script } from '../codex/script.ts';
import { FREE } from '../codex-server/testbed.ts';
import { verifies } from '../verifies.ts';
import { call, shareHttpTestbed } from './testbed.ts';

const testbed = shareHttpTestbed();
/** Codex shows all tools of servers to such a model at once. */
const UNKNOWN_MODEL = 'a-name-codex-does-not-know';

verifies('codex:http:many', 'Codex itself delegates to Codex over HTTP, beside another client', async () => {
  const token = await testbed().token('codex');
  const server = await testbed().serve();
  const other = await server.connect(token);
  await using home = await createCodexHome({
    modelUrl: testbed().model.url,
    model: UNKNOWN_MODEL,
    mcpServers: {
      helper: {
        url: server.url,
        http_headers: { Authorization: `Bearer ${token}` },
        default_tools_approval_mode: 'approve',
      },
    },
  });
  const task = { ...FREE, prompt: script([{ message: 'delegated' }]), waitSeconds: 50 };
  const prompt = script([{ mcp: { server: 'helper', tool: 'codex_start', arguments: task } }, { message: 'all done' }]);
  const { events, exitCode } = await runCodexExec({ home, prompt, timeoutMs: 90_000 });
  expect(exitCode).toBe(0);
  const items = events.map(({ item }) => (isObject(item) ? item : {}));
  const called = items.findLast(({ type }) => type === 'mcp_tool_call');
  expect(called).toMatchObject({
    status: 'completed',
    result: { structured_content: { status: 'done', result: 'delegated' } },
  });
  expect(objectsOf((await call(other, 'codex_list'))['sessions'])).toHaveLength(1);
  await server.kill('SIGTERM');
});
