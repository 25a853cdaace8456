import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { JsonObject } from '../codex/json.ts';
import { toolOutputs } from '../codex/model-request.ts';
import { trackProcesses } from '../processes.ts';
import { startArguments } from './stop-phases.ts';
import { openTestbed, type Testbed } from './testbed.ts';

const processes = trackProcesses();
const REPORTS_ENVIRONMENT = fileURLToPath(new URL('../fixtures/reports-environment.mjs', import.meta.url));
const TOO_DEEP =
  'This Switchboard runs inside 4 others: a config entry starts the gateway that reads it. Remove or disable that entry.';

test('a server nested too deeply starts no Codex, and says why', async () => {
  await using testbed = await openTestbed(processes);
  const client = await testbed.serve({ env: { SWITCHBOARD_DEPTH: '4' } });
  expect(await client.failure('codex_start', startArguments([{ message: 'hi' }]))).toBe(TOO_DEEP);
  expect(await client.failure('codex_list')).toBe(TOO_DEEP);
  expect(processes.alive().filter(({ command }) => command.includes('app-server'))).toEqual([]);
});

test('ignores a depth that is not a number', async () => {
  await using testbed = await openTestbed(processes);
  const client = await testbed.serve({ env: { SWITCHBOARD_DEPTH: 'deep' } });
  expect(await client.call('codex_start', { ...startArguments([{ message: 'hi' }]), waitSeconds: 50 })).toMatchObject({
    status: 'done',
  });
});

test('an MCP server of a session gets its depth and the mark, and keeps its configured environment', async () => {
  await using testbed = await openTestbed(processes, {
    mcpServers: { teller: { command: process.execPath, args: [REPORTS_ENVIRONMENT, 'one'], env: { OWN: 'kept' } } },
    extra: { mcp_servers: { teller: { default_tools_approval_mode: 'approve' } } },
  });
  const client = await testbed.serve({ env: { SWITCHBOARD_DEPTH: '1', SECRET_OF_THE_SERVER: 'hidden' } });
  const call = { mcp: { server: 'teller', tool: 'environment' } };

  const done = await client.call('codex_start', { ...startArguments([call, { message: 'told' }]), waitSeconds: 50 });

  expect(done).toMatchObject({ status: 'done', result: 'told' });
  const { env, args } = testEnvironment(testbed);
  expect(args).toEqual(['one']);
  expect(env).toMatchObject({ OWN: 'kept', SWITCHBOARD_DEPTH: '2' });
  expect(env['SWITCHBOARD_MARK']).toMatch(/^test-.+\/[0-9a-f]{32}\/\d+\/$/);
  expect(env).not.toHaveProperty('SECRET_OF_THE_SERVER');
});

test('a Switchboard in a Codex in a Switchboard knows its depth, and the last in a chain refuses to start', async () => {
  const [command, ...args] = [process.execPath, ...(await innerArguments())];
  await using testbed = await openTestbed(processes, {
    mcpServers: { inner: { command, args, default_tools_approval_mode: 'approve' } },
  });
  const client = await testbed.serve({ env: { SWITCHBOARD_DEPTH: '3' } });
  const start = {
    mcp: { server: 'inner', tool: 'codex_start', arguments: { prompt: 'deeper', skipGitRepoCheck: true } },
  };

  const done = await client.call('codex_start', {
    ...startArguments([start, { message: 'refused' }]),
    waitSeconds: 50,
  });

  expect(done).toMatchObject({ status: 'done', result: 'refused' });
  expect(lastOutput(testbed)).toContain(TOO_DEEP);
});

/** The output of the last tool that the model used. */
function lastOutput({ model }: Testbed): string {
  const request = model.requests.at(-1);
  return request === undefined ? '' : (toolOutputs(request).at(-1) ?? '');
}

function testEnvironment(testbed: Testbed): { readonly env: JsonObject; readonly args: unknown } {
  const output = lastOutput(testbed);
  return JSON.parse(output.slice(output.indexOf('{')));
}

/** The command line of the server, without the Node executable. */
async function innerArguments(): Promise<readonly string[]> {
  await using testbed = await openTestbed(processes);
  const [, ...args] = testbed.command();
  return args;
}
