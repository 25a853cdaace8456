import { expect, test } from 'vitest';
import { findCodex } from '../codex/codex-binary.ts';
import { runCodexExec } from '../codex/exec.ts';
import { createCodexHome } from '../codex/home.ts';
import { openModel } from '../codex/model.ts';
import { toolOutputs } from '../codex/model-request.ts';
import { script } from '../codex/script.ts';
import { fixture } from '../fixtures/paths.ts';
import { GLOBAL, ownConfig, useTestbeds } from '../mcp/testbed.ts';
import { trackProcesses } from '../processes.ts';

const newTestbed = useTestbeds(trackProcesses());

test('the real Codex calls a tool through the gateway that connect added to its config', async () => {
  const testbed = newTestbed();
  testbed.write(GLOBAL, ownConfig({ behaved: { transport: 'stdio', ...fixture('well-behaved') } }));
  await using model = await openModel();
  await using home = await createCodexHome({ modelUrl: model.url });
  const env = { CODEX_HOME: home.codexDir, CODEX_CLI_PATH: findCodex().command };
  expect(await testbed.run(['connect', 'codex', '--yes'], { env })).toMatchObject({ status: 0, stderr: '' });
  const prompt = script([
    { mcp: { server: 'switchboard', tool: 'behaved__add', arguments: { a: 20, b: 3 } } },
    { message: 'done' },
  ]);
  const { exitCode, stderr } = await runCodexExec({ home, prompt, timeoutMs: 60_000 });
  expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' });
  const last = model.requests.at(-1);
  expect(last === undefined ? [] : toolOutputs(last)).toEqual([expect.stringMatching(/\{\\?"sum\\?":23\}/)]);
});
