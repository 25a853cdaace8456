import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { type JsonObject, objectsOf } from '../codex/json.ts';
import { type ModelRequest, textOf, toolOutputs } from '../codex/model-request.ts';
import { script } from '../codex/script.ts';
import { verifies } from '../verifies.ts';
import { member, requestsOf, run, start } from './flow-session.ts';
import { shareTestbed } from './flow-testbed.ts';
import { FREE } from './testbed.ts';

const shared = shareTestbed({}, { args: ['--tools', 'full'] });
const HELLO = [{ message: 'hello' }];
/** A PNG image of one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Returns the first request to the model in a session with these steps and arguments. */
async function firstRequest(args: JsonObject): Promise<ModelRequest> {
  const { sessionId, status, error } = await run(shared.client, HELLO, args);
  expect({ status, error }).toEqual({ status: 'done', error: undefined });
  const [first] = requestsOf(shared.testbed.model, String(sessionId));
  if (first === undefined) throw new Error('the model received no request');
  return first;
}

const textsOf = ({ input }: ModelRequest, role: string) =>
  input.filter((item) => item['role'] === role).map((item) => textOf(item['content']));

verifies(
  ['codex:start:returns', 'codex:start:immediate', 'codex:start:session-id', 'codex:session:active'],
  'a start returns the thread id of Codex while the turn runs',
  async () => {
    const answer = await shared.client.result('codex_start', { ...FREE, prompt: script([{ hang: true }]) });
    const { structuredContent, content } = answer;
    const sessionId = String(member(answer, 'structuredContent')['sessionId']);
    expect(structuredContent).toEqual({ sessionId, status: 'active' });
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }]);
    await vi.waitFor(() => expect(requestsOf(shared.testbed.model, sessionId)).toHaveLength(1), 30_000);
    expect(await shared.client.call('codex_status', { sessionId })).toMatchObject({ sessionId, status: 'active' });
    expect(await shared.client.call('codex_list')).toMatchObject({
      sessions: expect.arrayContaining([expect.objectContaining({ sessionId, isActive: true })]),
    });
    await shared.client.call('codex_interrupt', { sessionId });
  },
);

test('a read-only sandbox that the caller did not choose is reported as a warning', async () => {
  const { sandbox: _, ...free } = FREE;
  // Outside this repository, because Codex already trusts it.
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-unknown-'));
  try {
    const args = { ...free, workingDirectory: folder, prompt: script(HELLO), waitSeconds: 50 };
    const warning =
      'Commands of this session cannot write: Codex uses read-only for a folder that it does not trust. Set sandbox: "workspace-write" to let it change files.';
    expect(await shared.client.call('codex_start', args)).toMatchObject({ status: 'done', warnings: [warning] });
    const chosen = await shared.client.call('codex_start', { ...args, sandbox: 'read-only' });
    expect(chosen).toMatchObject({ status: 'done' });
    expect(Object.keys(chosen)).not.toContain('warnings');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

verifies('codex:start:prompt', 'the first turn works on the prompt', async () => {
  const prompt = script(HELLO, 'Say "hello" — with ünïcode,\n$(echo no shell) `none` \'at\' all.');
  const { sessionId } = await shared.client.call('codex_start', { ...FREE, prompt, waitSeconds: 50 });
  const [first] = requestsOf(shared.testbed.model, String(sessionId));
  expect(first === undefined ? [] : textsOf(first, 'user').at(-1)).toBe(prompt);
});

test('a waiting start returns the result of a simple turn and nothing else', async () => {
  const answer = await shared.client.result('codex_start', { ...FREE, prompt: script(HELLO), waitSeconds: 50 });
  const status = member(answer, 'structuredContent');
  expect(status).toEqual({ sessionId: expect.any(String), status: 'done', result: 'hello' });
  expect(answer['content']).toEqual([{ type: 'text', text: JSON.stringify(status) }]);
});

test('a waiting start returns after waitSeconds, and the turn continues', async () => {
  const args = { ...FREE, prompt: script([{ delayMs: 5_000 }, { message: 'late' }]), waitSeconds: 0.3 };
  const status = await shared.client.call('codex_start', args);
  expect(status).toEqual({ sessionId: expect.any(String), status: 'active' });
  const { sessionId } = status;
  const over = await shared.client.call('codex_wait', { sessionIds: [sessionId] });
  expect(over).toMatchObject({ isOver: true, sessions: [{ status: 'done', result: 'late' }] });
});

verifies(
  ['codex:start:working-directory', 'codex:start:working-directory-default'],
  'a session works in its folder, by default in that of the server',
  async () => {
    const { workDir } = shared.testbed.home;
    await mkdir(join(workDir, 'inner'), { recursive: true });
    const pwd = [{ shell: 'pwd > where.txt; pwd' }, { message: 'done' }];
    const [inner, own] = await Promise.all([
      run(shared.client, pwd, { workingDirectory: 'inner' }),
      run(shared.client, pwd),
    ]);
    expect(inner).toMatchObject({ status: 'done', workingDirectory: join(workDir, 'inner') });
    expect(own).toMatchObject({ status: 'done', workingDirectory: workDir });
    expect([existsSync(join(workDir, 'inner', 'where.txt')), existsSync(join(workDir, 'where.txt'))]).toEqual([
      true,
      true,
    ]);
    const [, second] = requestsOf(shared.testbed.model, String(inner?.['sessionId']));
    expect(second === undefined ? [] : toolOutputs(second)).toEqual([expect.stringContaining(`${workDir}/inner\n`)]);
  },
);

verifies(
  ['codex:start:git-repo', 'codex:start:skip-git-repo-check', 'codex:start:flags-off'],
  'a folder outside a git repository requires skipGitRepoCheck',
  async () => {
    const outside = await mkdtemp(join(tmpdir(), 'switchboard-no-git-'));
    try {
      const args = { prompt: script(HELLO), workingDirectory: outside };
      const refusal = `${outside} is not inside a git repository, so changes made by Codex could not be undone. Choose another workingDirectory, or set skipGitRepoCheck: true.`;
      expect(await shared.client.failure('codex_start', args)).toBe(refusal);
      expect(await shared.client.failure('codex_start', { ...args, skipGitRepoCheck: false })).toBe(refusal);
      const allowed = { ...args, skipGitRepoCheck: true, waitSeconds: 50 };
      expect(await shared.client.call('codex_start', allowed)).toMatchObject({ status: 'done' });
      // Codex's sandbox leaves such an empty folder behind in writable places when it is killed.
      await mkdir(join(outside, '.git'), { recursive: true });
      expect(await shared.client.failure('codex_start', args)).toBe(refusal);
      execFileSync('git', ['init', '-q', outside]);
      await mkdir(join(outside, 'inner'));
      const inGit = { ...args, workingDirectory: join(outside, 'inner'), waitSeconds: 50 };
      expect(await shared.client.call('codex_start', inGit)).toMatchObject({ status: 'done' });
    } finally {
      await rm(outside, { recursive: true, force: true });
    }
  },
);

verifies('codex:start:model', 'a session uses the given model and effort', async () => {
  const { model, body } = await firstRequest({ model: 'some-model', effort: 'high' });
  expect({ model, reasoning: body['reasoning'] }).toMatchObject({ model: 'some-model' });
  const known = await firstRequest({ effort: 'high' });
  expect(known.body['reasoning']).toMatchObject({ effort: 'high' });
});

verifies(
  'codex:start:base-instructions',
  'instructions reach the model, whatever characters they contain',
  async () => {
    const baseInstructions = 'Be "brief": \'really\'\n\\ $HOME `x` [a] = {b}\tü — 🎈';
    const developerInstructions = 'Mind the "gap" \\ = 1';
    const request = await firstRequest({ baseInstructions, developerInstructions });
    const [base, ...others] = textsOf(request, 'developer');
    expect(base).toBe(baseInstructions);
    expect(others.join('\n')).toContain(developerInstructions);
  },
);

verifies('codex:start:config', 'overrides are dotted keys with TOML literals or plain text', async () => {
  const config = {
    model_reasoning_effort: 'low',
    'model_providers.scripted.name': '"renamed"',
    'features.request_permissions_tool': 'true',
    developer_instructions: '"quoted: text"',
  };
  expect(await shared.client.failure('codex_start', { ...FREE, prompt: script(HELLO), config })).toContain(
    '--allow-dangerous',
  );
  const { 'model_providers.scripted.name': _, ...harmless } = config;
  const request = await firstRequest({ config: harmless });
  expect(request.body['reasoning']).toMatchObject({ effort: 'low' });
  expect(textsOf(request, 'developer').join('\n')).toContain('quoted: text');
  expect(request.tools.map((tool) => tool['name'])).toContain('request_permissions');
  expect((await firstRequest({})).tools.map((tool) => tool['name'])).not.toContain('request_permissions');
});

verifies('codex:start:profile', 'a profile is the file of that name next to the Codex config', async () => {
  await writeFile(
    join(shared.testbed.home.codexDir, 'careful.config.toml'),
    'model = "profile-model"\nsandbox_mode = "read-only"\napproval_policy = "never"\n',
  );
  const { sessionId, ...status } = await run(shared.client, HELLO, { profile: 'careful', sandbox: undefined });
  expect(status).toMatchObject({
    status: 'done',
    model: 'profile-model',
    sandbox: 'read-only',
    approvalPolicy: 'never',
  });
  expect(requestsOf(shared.testbed.model, String(sessionId)).map(({ model }) => model)).toEqual(['profile-model']);
  expect(await shared.client.failure('codex_start', { ...FREE, prompt: 'x', profile: 'nobody' })).toContain('nobody');
});

verifies(
  ['codex:start:images', 'codex:start:images-no-hang'],
  'images reach the model with the prompt, and the session ends',
  async () => {
    const { workDir } = shared.testbed.home;
    await writeFile(join(workDir, 'dot.png'), PNG);
    await writeFile(join(workDir, 'other dot.png'), PNG);
    const request = await firstRequest({ images: ['dot.png', join(workDir, 'other dot.png')] });
    const parts = request.input.flatMap((item) => objectsOf(item['content']));
    const urls = parts.filter(({ type }) => type === 'input_image').map((part) => part['image_url']);
    expect(urls).toEqual([expect.stringMatching(/^data:image\//u), expect.stringMatching(/^data:image\//u)]);
  },
);

test('an output schema is sent to the model for the first turn only', async () => {
  const outputSchema = {
    type: 'object',
    properties: { a: { type: 'string' } },
    required: ['a'],
    additionalProperties: false,
  };
  const flow = await start(shared.client, [{ message: '{"a":"b"}' }], { outputSchema });
  expect(await flow.settled()).toMatchObject({ status: 'done', result: '{"a":"b"}' });
  await flow.say(HELLO);
  expect(await flow.settled()).toMatchObject({ status: 'done', result: 'hello' });
  const formats = requestsOf(shared.testbed.model, flow.id).map(({ body }) => member(body, 'text')['format']);
  expect(formats).toMatchObject([{ type: 'json_schema', schema: outputSchema }, undefined]);
});

test('a session has the given name', async () => {
  const { sessionId } = await run(shared.client, HELLO, { name: 'the named one' });
  await vi.waitFor(async () => {
    const { sessions } = await shared.client.call('codex_list', { search: 'the named one' });
    expect(sessions).toMatchObject([{ sessionId, name: 'the named one' }]);
  }, 30_000);
});

verifies(
  ['codex:start:full-auto', 'codex:start:on-failure', 'codex:start:approval-policy', 'codex:start:sandbox'],
  'the given policy and sandbox apply, and on-failure is explained',
  async () => {
    const given = (args: JsonObject) => run(shared.client, HELLO, { sandbox: undefined, ...args });
    expect(await given({ fullAuto: true })).toMatchObject({ approvalPolicy: 'on-request', sandbox: 'workspace-write' });
    expect(await given({ sandbox: 'read-only', approvalPolicy: 'untrusted' })).toMatchObject({
      approvalPolicy: 'untrusted',
      sandbox: 'read-only',
    });
    const warning = 'approvalPolicy "on-failure" no longer exists in Codex: this session runs with "on-request".';
    expect(await given({ approvalPolicy: 'on-failure' })).toMatchObject({
      approvalPolicy: 'on-request',
      warnings: [warning],
    });
    const atOnce = { ...FREE, prompt: script(HELLO), approvalPolicy: 'on-failure' };
    expect(await shared.client.call('codex_start', atOnce)).toMatchObject({ warnings: [warning] });
    for (const word of ['always', 'Never', ''])
      expect(await shared.client.failure('codex_start', { ...atOnce, approvalPolicy: word })).toContain(
        'approvalPolicy',
      );
    expect(await shared.client.failure('codex_start', { ...atOnce, sandbox: 'none' })).toContain('sandbox');
  },
);

verifies('codex:start:never-described', 'the description of never says that it refuses', async () => {
  const { tools } = await shared.client.request('tools/list');
  const tool = objectsOf(tools).find(({ name }) => name === 'codex_start') ?? {};
  const { approvalPolicy } = member(member(tool, 'inputSchema'), 'properties');
  expect(approvalPolicy).toMatchObject({
    enum: ['untrusted', 'on-failure', 'on-request', 'never'],
    description: expect.stringContaining('refuse actions that need approval'),
  });
});
