import { expect, test, vi } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { gatewayFor, longTimeoutEnv, officialServer } from '../interop/programs.ts';
import { recordingServer } from '../interop/recording-server.ts';
import { openAppServer } from './app-server.ts';
import { createCodexHome } from './home.ts';
import { isObject } from './json.ts';
import { type Model, openModel } from './model.ts';
import { toolOutputs } from './model-request.ts';
import type { Step } from './steps.ts';
import { runTurn, startThread } from './thread.ts';

const approved = { default_tools_approval_mode: 'approve', env: longTimeoutEnv };

test('codex app-server lists and calls tools through the gateway', async () => {
  using gateway = gatewayFor({ behaved: fixture('well-behaved'), files: officialServer('filesystem', '.') });
  await using model = await openModel();
  const { command, args } = gateway;
  await using home = await createCodexHome({ modelUrl: model.url, mcpServers: { gw: { command, args, ...approved } } });
  await using server = await openAppServer({ home });
  const threadId = await startThread(server, { cwd: home.workDir });
  const { data } = await server.request('mcpServerStatus/list', { threadId });
  expect(data).toMatchObject([
    {
      name: 'gw',
      runtimeStatus: 'connected',
      serverInfo: { name: 'switchboard' },
      tools: {
        behaved__add: { annotations: { readOnlyHint: true, idempotentHint: true } },
        files__list_allowed_directories: { title: 'List Allowed Directories' },
      },
    },
  ]);
  const turn = await runTurn(server, threadId, [
    { mcp: { server: 'gw', tool: 'files__list_allowed_directories' } },
    { message: 'done' },
  ]);
  expect(turn).toMatchObject({ status: 'completed' });
  expect(outputs(model)).toEqual([expect.stringContaining(home.workDir)]);
});

test('forwards server requests to the client of codex app-server, and its responses to the servers', async () => {
  using gateway = gatewayFor({ form: fixture('requests-elicitation'), page: fixture('requests-elicitation', '--url') });
  await using model = await openModel();
  const { command, args } = gateway;
  await using home = await createCodexHome({ modelUrl: model.url, mcpServers: { gw: { command, args, ...approved } } });
  await using server = await openAppServer({ home });
  const questions: unknown[] = [];
  server.onRequest((method, { threadId: _, turnId: __, ...question }) => {
    questions.push({ method, ...question });
    return question['mode'] === 'form'
      ? { action: 'accept', content: { name: 'Ada', agree: true }, _meta: null }
      : { action: 'decline', content: null, _meta: null };
  });
  const threadId = await startThread(server, { cwd: home.workDir, approvalPolicy: 'on-request' });
  const turn = await runTurn(server, threadId, [
    { mcp: { server: 'gw', tool: 'form__ask' } },
    { mcp: { server: 'gw', tool: 'page__ask' } },
    { message: 'done' },
  ]);

  expect(turn).toMatchObject({ status: 'completed' });
  expect(questions).toEqual([
    {
      method: 'mcpServer/elicitation/request',
      serverName: 'gw',
      mode: 'form',
      _meta: null,
      message: 'Who are you?',
      requestedSchema: {
        type: 'object',
        properties: { name: { type: 'string' }, agree: { type: 'boolean', default: false } },
        required: ['name'],
      },
    },
    {
      method: 'mcpServer/elicitation/request',
      serverName: 'gw',
      mode: 'url',
      _meta: null,
      message: 'Please sign in',
      url: 'https://example.com/sign-in?id=1',
      elicitationId: 'one',
    },
  ]);
  const [form = '', page = ''] = outputs(model);
  expect(form).toContain('"result":{"action":"accept","content":{"name":"Ada","agree":true}}');
  expect(page).toContain('"result":{"action":"decline"');
});

test('interrupting a turn cancels its call at the server', async () => {
  using gateway = gatewayFor();
  const { server: hearing, receives } = recordingServer(gateway.folder);
  gateway.configure({ behaved: fixture('well-behaved'), hearing });
  await using model = await openModel();
  const { command, args } = gateway;
  await using home = await createCodexHome({ modelUrl: model.url, mcpServers: { gw: { command, args, ...approved } } });
  await using server = await openAppServer({ home });
  const threadId = await startThread(server, { cwd: home.workDir });
  const turn = runTurn(server, threadId, [{ mcp: { server: 'gw', tool: 'hearing__wait' } }, { message: 'never said' }]);
  const call = await receives('tools/call');
  const { params } = await server.waitFor('turn/started');
  const turnId = isObject(params['turn']) ? params['turn']['id'] : undefined;
  await server.request('turn/interrupt', { threadId, turnId });

  expect(await turn).toMatchObject({ status: 'interrupted' });
  expect(await receives('notifications/cancelled')).toEqual({
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId: call.id, reason: expect.any(String) },
  });
  const again: Step[] = [
    { mcp: { server: 'gw', tool: 'hearing__echo', arguments: { text: 'well' } } },
    { message: 'ok' },
  ];
  expect(await runTurn(server, threadId, again)).toMatchObject({ status: 'completed' });
});

test('a tool added while a thread runs can be called in it', async () => {
  using gateway = gatewayFor({ growing: fixture('changes-its-list') });
  await using model = await openModel();
  const { command, args } = gateway;
  await using home = await createCodexHome({
    modelUrl: model.url,
    model: 'a-name-codex-does-not-know',
    mcpServers: { gw: { command, args, ...approved } },
    extra: { features: { mcp_tool_list_changed: true } },
  });
  await using server = await openAppServer({ home });
  const threadId = await startThread(server, { cwd: home.workDir });
  const call = (tool: string) => runTurn(server, threadId, [{ mcp: { server: 'gw', tool } }, { message: 'done' }]);
  expect(await call('growing__grow')).toMatchObject({ status: 'completed' });
  // A turn fails if its script names a tool that is not visible.
  await vi.waitFor(async () => expect(await call('growing__grown-1')).toMatchObject({ status: 'completed' }), 30_000);
  expect(outputs(model).at(-1)).toContain('I am grown-1');
});

/** The last tool output that the model received. */
function outputs(model: Model): readonly string[] {
  const last = model.requests.at(-1);
  return last === undefined ? [] : toolOutputs(last);
}
