import { expect, test } from 'vitest';
import { gatewayFor, longTimeoutEnv } from '../interop/programs.ts';
import { asCodexShows } from '../schema/codex-compaction.ts';
import { factsIn, missingFacts } from '../schema/schema-facts.ts';
import { openAppServer } from './app-server.ts';
import { awkwardServer, rawNameOf } from './awkward-server.ts';
import { largeTools } from './fixtures/large-tools.mjs';
import { createCodexHome } from './home.ts';
import { objectsOf } from './json.ts';
import { openModel } from './model.ts';
import type { ModelRequest } from './model-request.ts';
import { runTurn, startThread } from './thread.ts';

test('the model sees the same of a large tool with and without the gateway', async () => {
  const large = awkwardServer(...largeTools.map(({ name }) => name));
  using gateway = gatewayFor({ large });
  await using model = await openModel();
  const env = { ...longTimeoutEnv, SWITCHBOARD_HOME: gateway.folder };
  const gw = { command: gateway.command, args: gateway.args, env };
  await using home = await createCodexHome({
    modelUrl: model.url,
    model: 'a-name-codex-does-not-know',
    mcpServers: { direct: { ...large }, gw },
  });
  await using server = await openAppServer({ home });
  const threadId = await startThread(server, { cwd: home.workDir });
  await runTurn(server, threadId, [{ message: 'done' }]);

  const [request] = model.requests;
  const direct = inputsOf(request, 'mcp__direct');
  const through = inputsOf(request, 'mcp__gw');
  expect(Object.fromEntries(direct)).toEqual(
    Object.fromEntries(largeTools.map(({ name, inputSchema }) => [name, asCodexShows(inputSchema)])),
  );
  for (const { name } of largeTools) {
    expect(missingFacts(factsIn(direct.get(name)), factsIn(through.get(name)))).toEqual([]);
  }
});

/** The schemas in one namespace, by the server's own tool names. */
function inputsOf(request: ModelRequest | undefined, namespace: string): ReadonlyMap<string, unknown> {
  const tools = objectsOf(request?.tools.find(({ name }) => name === namespace)?.['tools']);
  return new Map(tools.map((tool) => [rawNameOf({ description: String(tool['description']) }), tool['parameters']]));
}
