import { expect, test } from 'vitest';
import { serverFromFile, testFolders, tool } from '../gateway/tools-from-file.ts';
import { gatewayFor, longTimeoutEnv } from '../interop/programs.ts';
import { openAppServer } from './app-server.ts';
import { createCodexHome } from './home.ts';
import { objectsOf } from './json.ts';
import { openModel } from './model.ts';
import { codexReleases } from './releases.ts';
import { runTurn, startThread } from './thread.ts';

const folder = testFolders();
/** With `gw__`, `long__` and Codex's own `mcp__` prepended. */
const PLAIN = 'n'.repeat(110 - 'long__'.length);

test.each(codexReleases('current', 'previous'))(
  'the model of the %s Codex reads a name of 110 characters unchanged',
  async (release) => {
    const { offer, command = '', args = [] } = serverFromFile(folder());
    offer({ tools: [tool(PLAIN), tool(`${PLAIN}n`)] });
    using gateway = gatewayFor({ long: { command, args } });
    await using model = await openModel();
    const env = { ...longTimeoutEnv, SWITCHBOARD_HOME: gateway.folder };
    const gw = { command: gateway.command, args: gateway.args, env };
    const name = 'a-name-codex-does-not-know';
    await using home = await createCodexHome({ modelUrl: model.url, model: name, release, mcpServers: { gw } });
    await using server = await openAppServer({ home });
    const threadId = await startThread(server, { cwd: home.workDir });
    const call = { mcp: { server: 'gw', tool: `long__${PLAIN}`, arguments: {} } };
    const turn = await runTurn(server, threadId, [call, { message: 'done' }]);

    expect(turn).toMatchObject({ status: 'completed', error: null });
    const shown = objectsOf(model.requests[0]?.tools.find((tools) => tools['name'] === 'mcp__gw')?.['tools']);
    expect(shown.map((one) => one['name'])).toEqual(
      expect.arrayContaining([`long__${PLAIN}`, expect.stringMatching(/^long__n{95}_[0-9a-f]{8}$/u)]),
    );
  },
);
