import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type AppServer, openAppServer } from './app-server.ts';
import { findProcesses } from './find-processes.ts';
import { createCodexHome } from './home.ts';
import { isObject, type JsonObject } from './json.ts';
import { openModel } from './model.ts';
import { toolOutputs } from './model-request.ts';
import { script } from './script.ts';

const echo = { command: process.execPath, args: [fileURLToPath(new URL('echo-server.mjs', import.meta.url))] };

test('streams the parts of a message', async () => {
  await using model = await openModel();
  await using home = await createCodexHome({ modelUrl: model.url });
  await using server = await openAppServer({ home });
  const threadId = await startThread(server, { cwd: home.workDir });
  const deltas = ['One, ', 'two, ', 'three.'];
  const turn = await runTurn(server, { threadId, prompt: script([{ deltas, paceMs: 30 }]) });

  expect(turn).toMatchObject({ status: 'completed', items: [{ type: 'agentMessage', text: 'One, two, three.' }] });
  const arrived = server.notifications.filter(({ method }) => method === 'item/agentMessage/delta');
  expect(arrived.map(({ params }) => params['delta'])).toEqual(deltas);
});

test('a later script in the same thread replaces the earlier one', async () => {
  await using model = await openModel();
  await using home = await createCodexHome({ modelUrl: model.url });
  await using server = await openAppServer({ home });
  const threadId = await startThread(server, { cwd: home.workDir });
  const first = script([{ shell: 'echo first' }, { message: 'first' }]);
  const second = script([{ shell: 'echo second' }, { message: 'second' }]);

  expect(await runTurn(server, { threadId, prompt: first })).toMatchObject({ items: [{ text: 'first' }] });
  expect(await runTurn(server, { threadId, prompt: second })).toMatchObject({ items: [{ text: 'second' }] });
  expect(model.requests).toHaveLength(4);
});

test('a message to a running turn may have its own script', async () => {
  await using model = await openModel();
  await using home = await createCodexHome({ modelUrl: model.url });
  await using server = await openAppServer({ home });
  const threadId = await startThread(server, { cwd: home.workDir });
  const endless = script([{ message: 'I begin.' }, { deltas: Array(100).fill('and on '), paceMs: 500 }]);
  const turn = runTurn(server, { threadId, prompt: endless });
  const { params } = await server.waitFor('item/agentMessage/delta', ({ delta }) => delta === 'and on ');
  const input = [{ type: 'text', text: script([{ message: 'I change my way.' }]) }];
  await server.request('turn/steer', { threadId, expectedTurnId: params['turnId'], input });

  expect(await turn).toMatchObject({ status: 'completed', items: [{ text: 'I change my way.' }] });
});

test('concurrent threads follow their own scripts', async () => {
  await using model = await openModel();
  await using home = await createCodexHome({ modelUrl: model.url, mcpServers: { echo } });
  await using server = await openAppServer({ home });
  const names = ['a', 'b', 'c'];
  const turns = await Promise.all(
    names.map(async (text) => {
      const threadId = await startThread(server, { cwd: home.workDir });
      const call = { mcp: { server: 'echo', tool: 'echo', arguments: { text } } };
      return runTurn(server, { threadId, prompt: script([call, { delayMs: 50 }, { message: `done ${text}` }]) });
    }),
  );

  expect(turns).toMatchObject(names.map((name) => ({ status: 'completed', items: [{ text: `done ${name}` }] })));
});

test('the handler answers requests of Codex', async () => {
  await using model = await openModel();
  await using home = await createCodexHome({ modelUrl: model.url });
  await using server = await openAppServer({ home });
  const questions: unknown[] = [];
  server.onRequest((method, params) => {
    questions.push([method, params['command'], params['reason']]);
    return { decision: 'accept' };
  });
  const threadId = await startThread(server, { cwd: home.workDir, approvalPolicy: 'on-request' });
  const options = { sandbox_permissions: 'require_escalated', justification: 'May I?' };
  await runTurn(server, { threadId, prompt: script([{ shell: 'echo allowed', options }, { message: 'done' }]) });

  expect(questions).toEqual([['item/commandExecution/requestApproval', "/bin/bash -lc 'echo allowed'", 'May I?']]);
  expect(model.requests.flatMap(toolOutputs).join()).toContain('allowed');
});

test('an error response rejects the request, and close rejects pending ones and ends everything', async () => {
  await using model = await openModel();
  await using home = await createCodexHome({ modelUrl: model.url, mcpServers: { echo } });
  await using server = await openAppServer({ home });
  await expect(server.request('thread/read', { threadId: 'nobody' })).rejects.toThrow(/invalid thread id/u);
  const threadId = await startThread(server, { cwd: home.workDir });
  const turn = runTurn(server, { threadId, prompt: script([{ hang: true }]) });
  const outcome = expect(turn).rejects.toThrow('the client of codex app-server was closed');
  await server.waitFor('turn/started');
  await server.close();

  await outcome;
  await expect(server.request('thread/list', {})).rejects.toThrow('was closed');
  expect(await findProcesses(home.rootDir)).toEqual([]);
});

async function startThread(server: AppServer, params: JsonObject): Promise<string> {
  const { thread } = await server.request('thread/start', params);
  return isObject(thread) ? String(thread['id']) : 'none';
}

/** Returns the turn as reported at its end. */
async function runTurn(server: AppServer, options: { threadId: string; prompt: string }): Promise<unknown> {
  const { threadId, prompt } = options;
  const started = await server.request('turn/start', { threadId, input: [{ type: 'text', text: prompt }] });
  const id = isObject(started['turn']) ? started['turn']['id'] : undefined;
  const { params } = await server.waitFor('turn/completed', ({ turn }) => isObject(turn) && turn['id'] === id);
  return params['turn'];
}
