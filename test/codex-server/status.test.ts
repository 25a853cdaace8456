import { expect, test, vi } from 'vitest';
import { type JsonObject, objectsOf } from '../codex/json.ts';
import { script } from '../codex/script.ts';
import { fixture } from '../fixtures/paths.ts';
import { verifies } from '../verifies.ts';
import { follow, itemsOf, member, requestsOf, run, start } from './flow-session.ts';
import { shareTestbed } from './flow-testbed.ts';
import { FREE } from './testbed.ts';

const shared = shareTestbed({
  extra: { tools: { update_plan: { enabled: true } } },
  mcpServers: { tools: fixture('well-behaved') },
});
const texts = (words: readonly string[]) => words.map((message) => ({ message }));

verifies(
  ['codex:status:polling', 'codex:status:result', 'codex:session:done', 'codex:session:active', 'codex:status:words'],
  'polling shows active first, and done with the result at the end',
  async () => {
    const { client } = shared;
    const prompt = script([{ message: 'first' }, { shell: 'sleep 0.3' }, { message: 'the end' }]);
    const started = await client.call('codex_start', { ...FREE, prompt });
    const seen: JsonObject[] = [started];
    while (seen.at(-1)?.['status'] === 'active')
      seen.push(await client.call('codex_status', { sessionId: started['sessionId'] }));
    expect(seen.slice(0, -1).every((status) => !('result' in status))).toBe(true);
    const { workDir } = shared.testbed.home;
    expect(seen.at(-1)).toEqual({
      sessionId: started['sessionId'],
      status: 'done',
      result: 'the end',
      recentOutput: ['first'],
      itemEvents: [
        { itemType: 'agent_message', status: 'completed' },
        { itemType: 'command_execution', status: 'completed', summary: "/bin/bash -lc 'sleep 0.3'" },
        { itemType: 'agent_message', status: 'completed' },
      ],
      filesChanged: [],
      usage: { inputTokens: 20, cachedInputTokens: 0, outputTokens: 10, reasoningOutputTokens: 0 },
      turnUsage: { inputTokens: 20, cachedInputTokens: 0, outputTokens: 10, reasoningOutputTokens: 0 },
      contextWindow: expect.any(Number),
      turnCount: 1,
      turnSeconds: expect.any(Number),
      workingDirectory: workDir,
      model: 'gpt-5.5',
      approvalPolicy: 'on-request',
      sandbox: 'workspace-write',
      cursor: expect.stringMatching(/^[0-9a-f]+-\d+$/u),
    });
  },
);

test('the text matches the structured content, and links lead to truncated parts', async () => {
  const { sessionId } = await run(shared.client, [{ message: 'hello '.repeat(10_000) }]);
  const answer = await shared.client.result('codex_status', { sessionId });
  const [text, ...links] = objectsOf(answer['content']);
  const { turnSeconds: _, ...reported } = JSON.parse(String(text?.['text']));
  expect(answer['structuredContent']).toMatchObject(reported);
  expect(links.map(({ type, uri }) => [type, uri])).toEqual(
    ['result', 'transcript', 'diff'].map((part) => ['resource_link', `codex://sessions/${sessionId}/${part}`]),
  );
  const short = await run(shared.client, [{ message: 'hello' }]);
  const { content } = await shared.client.result('codex_status', { sessionId: short['sessionId'] });
  expect(objectsOf(content).map(({ type }) => type)).toEqual(['text']);
});

verifies(
  ['codex:status:items', 'codex:status:item-types', 'codex:status:item-statuses', 'codex:status:item-summary'],
  'converts the items of a turn, and lists each once in its current state',
  async () => {
    const { workDir } = shared.testbed.home;
    const plan = [
      { step: 'look', status: 'completed' },
      { step: 'leap', status: 'in_progress' },
      { step: 'rest', status: 'pending' },
    ];
    const status = await run(shared.client, [
      { reasoning: 'Let me see.' },
      { message: 'I look.' },
      { tool: { name: 'update_plan', arguments: { plan } } },
      { shell: 'echo begun; echo no such file; exit 3' },
      { patch: '*** Begin Patch\n*** Add File: items.txt\n+hi\n*** End Patch' },
      { mcp: { server: 'tools', tool: 'add', arguments: { a: 1, b: 2 } } },
      { message: 'Done.' },
    ]);
    expect(status).toMatchObject({
      status: 'done',
      plan,
      result: 'Done.',
      recentOutput: ['I look.'],
      filesChanged: [{ path: `${workDir}/items.txt`, kind: 'add' }],
    });
    expect(itemsOf(status)).toEqual([
      'reasoning completed Let me see.',
      'agent_message completed',
      'todo_list in_progress 1 of 3 done; now: leap',
      "command_execution failed /bin/bash -lc 'echo begun; echo no such file; exit 3'",
      `file_change completed ${workDir}/items.txt`,
      'mcp_tool_call completed tools/add',
      'agent_message completed',
    ]);
    // A failed command reports the reason. A successful one reports nothing.
    const failed = objectsOf(status['itemEvents']).filter(({ exitCode }) => exitCode !== undefined);
    expect(failed).toMatchObject([{ status: 'failed', exitCode: 3, outputTail: 'begun\nno such file' }]);
  },
);

test('a running command is listed as started, and its output is not in recentOutput', async () => {
  const flow = await start(shared.client, [{ shell: 'echo chatter; sleep 30' }, { message: 'never' }]);
  await vi.waitFor(async () => {
    expect(itemsOf(await flow.status())).toEqual(["command_execution started /bin/bash -lc 'echo chatter; sleep 30'"]);
  }, 30_000);
  expect(await flow.status()).toMatchObject({ status: 'active', recentOutput: [] });
  await flow.interrupt();
});

verifies(
  ['codex:status:recent-output', 'codex:status:output-lines', 'codex:status:output-lines-default'],
  'returns the messages of Codex, oldest first, up to the requested number',
  async () => {
    const words = Array.from({ length: 60 }, (_, index) => `message ${index}`);
    const flow = await start(shared.client, [
      ...texts(words.slice(0, 55)),
      { shell: 'echo no' },
      ...texts(words.slice(55)),
    ]);
    await flow.settled();
    const outputs = async (args: JsonObject) => (await flow.status(args))['recentOutput'];
    const before = words.slice(0, -1);
    expect(await outputs({})).toEqual(before.slice(-50));
    expect(await outputs({ outputLines: 3 })).toEqual(before.slice(-3));
    expect(await outputs({ outputLines: 1000 })).toEqual(before);
    expect(await outputs({ outputLines: 0 })).toEqual([]);
  },
);

verifies('codex:status:usage', 'usage is the session total, with that of the turn beside it', async () => {
  const first = { input_tokens: 100, cached_input_tokens: 40, output_tokens: 10, reasoning_output_tokens: 3 };
  const second = { input_tokens: 200, cached_input_tokens: 50, output_tokens: 20, reasoning_output_tokens: 4 };
  const flow = await start(shared.client, [{ usage: first }, { message: 'one' }]);
  expect(await flow.settled()).toMatchObject({
    usage: { inputTokens: 100, cachedInputTokens: 40, outputTokens: 10, reasoningOutputTokens: 3 },
    turnUsage: { inputTokens: 100, cachedInputTokens: 40, outputTokens: 10, reasoningOutputTokens: 3 },
  });
  const steps = [{ usage: second }, { shell: 'true' }, { usage: first }, { message: 'two' }];
  expect(await flow.say(steps, { waitSeconds: 1_000 })).toMatchObject({
    usage: { inputTokens: 400, cachedInputTokens: 130, outputTokens: 40, reasoningOutputTokens: 10 },
    turnUsage: { inputTokens: 300, cachedInputTokens: 90, outputTokens: 30, reasoningOutputTokens: 7 },
  });
});

test('with a cursor, the status returns only new items and the next cursor', async () => {
  const flow = await start(shared.client, [{ message: 'one' }]);
  const { cursor } = await flow.settled();
  const nothing = await flow.status({ cursor });
  expect(nothing).toMatchObject({ status: 'done', result: 'one', recentOutput: [], itemEvents: [], cursor });
  await flow.say([{ shell: 'echo hi' }, { message: 'two' }]);
  await flow.settled();
  const news = await flow.status({ cursor });
  expect(news).toMatchObject({ result: 'two', recentOutput: [], cursor: expect.not.stringContaining(String(cursor)) });
  expect(itemsOf(news)).toEqual(["command_execution completed /bin/bash -lc 'echo hi'", 'agent_message completed']);
  for (const strange of ['nonsense', '00000000-3', `${cursor}9999`])
    expect(await flow.status({ cursor: strange })).toMatchObject({ missedEvents: true, recentOutput: ['one'] });
});

test('a waiting status returns at the first change, or when the wait times out', async () => {
  const flow = await start(shared.client, [{ delayMs: 4_000 }, { message: 'news' }, { shell: 'true' }, { hang: true }]);
  const { cursor } = await flow.status();
  const news = await flow.status({ cursor, waitSeconds: 1_000 });
  expect(itemsOf(news).length).toBeGreaterThan(0);
  await vi.waitFor(() => expect(requestsOf(shared.testbed.model, flow.id)).toHaveLength(2), 30_000);
  await vi.waitFor(
    async () => expect(itemsOf(await flow.status()).at(-1)).toMatch(/^command_execution completed/u),
    30_000,
  );
  const quiet = await eventuallyQuiet(flow.status);
  const later = Date.now();
  expect(await flow.status({ cursor: quiet, waitSeconds: 0.4 })).toMatchObject({ status: 'active', itemEvents: [] });
  expect(Date.now() - later).toBeGreaterThan(350);
  const ended = flow.status({ cursor: quiet, waitSeconds: 1_000 });
  await flow.interrupt();
  expect(await ended).toMatchObject({ status: 'interrupted' });
});

/** Queries twice, half a second apart, and expects the same result. */
const WITHIN = { timeout: 30_000, interval: 500 };

async function eventuallyQuiet(status: () => Promise<JsonObject>): Promise<unknown> {
  let cursor: unknown;
  await vi.waitFor(async () => {
    const before = cursor;
    cursor = (await status())['cursor'];
    expect(cursor).toBe(before);
  }, WITHIN);
  return cursor;
}

test('a waiting status returns when an answer is needed, immediately if one is already needed', async () => {
  const steps = [{ delayMs: 200 }, { shell: 'touch waits.txt' }, { message: 'done' }];
  const flow = await start(shared.client, steps, { approvalPolicy: 'untrusted' });
  let status = await flow.status();
  while (status['status'] === 'active') status = await flow.status({ cursor: status['cursor'], waitSeconds: 1_000 });
  expect(status).toMatchObject({ status: 'awaiting_approval', pendingQuestion: { type: 'command_approval' } });
  // The question may have arrived after the last response and before this call. It must not be missed.
  expect(await flow.status({ cursor: status['cursor'], waitSeconds: 1_000 })).toMatchObject({
    status: 'awaiting_approval',
  });
  await flow.interrupt();
});

test('a long result is paginated, and complete in the resources', async () => {
  const long = `begin ${'x'.repeat(200_000)} end`;
  const { sessionId } = await run(shared.client, [{ message: long }]);
  const answer = await shared.client.result('codex_status', { sessionId });
  const status = member(answer, 'structuredContent');
  expect(status).toMatchObject({
    status: 'done',
    truncated: true,
    resultCursor: expect.any(String),
  });
  expect(JSON.stringify(status).length).toBeLessThan(64_000);
  const pages = [String(status['result'])];
  let { resultCursor } = status;
  while (resultCursor !== undefined && pages.length < 99) {
    const page = await shared.client.call('codex_status', { sessionId, resultCursor });
    expect(JSON.stringify(page).length).toBeLessThan(25_000);
    pages.push(String(page['result']));
    ({ resultCursor } = page);
  }
  expect(pages.join('')).toBe(long);
  const read = async (part: string) => {
    const { contents } = await shared.client.request('resources/read', {
      uri: `codex://sessions/${sessionId}/${part}`,
    });
    return String(objectsOf(contents)[0]?.['text']);
  };
  expect(await read('result')).toBe(long);
  expect(await read('transcript')).toContain(long);
  expect(await shared.client.failure('codex_status', { sessionId, resultCursor: '00000000-9' })).toContain(
    'does not belong to the current text',
  );
});

test('many items and long outputs stay within the limits and include the newest', async () => {
  const steps = Array.from({ length: 80 }, (_, index) => ({ message: `${index} ${'y'.repeat(1000)}` }));
  const status = await run(shared.client, [...steps, { message: 'last' }]);
  expect(status).toMatchObject({ status: 'done', result: 'last', truncated: true });
  expect(objectsOf(status['itemEvents']).length).toBeLessThanOrEqual(60);
  expect(status['recentOutput']).toContainEqual(expect.stringMatching(/^79 y/u));
  expect(JSON.stringify(status).length).toBeLessThan(64_000);
});

test('the status of a stored session stays within the same limits and says what was truncated', async () => {
  const { testbed, client } = shared;
  const other = await testbed.serve();
  const steps = Array.from({ length: 9 }, (_, index) => ({ message: `${index} ${'y'.repeat(30_000)}` }));
  const { sessionId } = await run(other, steps);
  await other.close();
  const status = await client.call('codex_status', { sessionId });
  expect(status).toMatchObject({ status: 'done', isStored: true, truncated: true });
  expect(JSON.stringify(status).length).toBeLessThan(64_000);
  expect(status).toMatchObject({ result: expect.stringMatching(/^8 y/u), resultCursor: expect.any(String) });
  expect(status['recentOutput']).toEqual([expect.stringMatching(/^7 y/u)]);
});

test.runIf(process.platform === 'linux')(
  'a session running in another Codex is active and held elsewhere, or interrupted if it was interrupted',
  async () => {
    const { testbed, client } = shared;
    const other = await testbed.serve();
    const flow = await start(other, [{ message: 'on it' }, { shell: 'true' }, { hang: true }]);
    await vi.waitFor(() => expect(requestsOf(testbed.model, flow.id)).toHaveLength(2), 30_000);
    const held = { sessionId: flow.id, isStored: true, heldElsewhere: true, recentOutput: ['on it'] };
    expect(await client.call('codex_status', { sessionId: flow.id })).toMatchObject({ ...held, status: 'active' });
    await flow.interrupt();
    expect(await client.call('codex_status', { sessionId: flow.id })).toMatchObject({ ...held, status: 'interrupted' });
    await other.close();
    const left = await client.call('codex_status', { sessionId: flow.id });
    expect(left).toMatchObject({ status: 'interrupted', isStored: true });
    expect(left).not.toHaveProperty('heldElsewhere');
  },
);

test('a client with an older protocol version gets results without links', async () => {
  const client = await shared.testbed.serve();
  const { sessionId } = await run(client, [{ message: 'hello '.repeat(10_000) }]);
  const blocks = async () => objectsOf((await client.result('codex_status', { sessionId }))['content']);
  expect((await blocks()).map(({ type }) => type)).toContain('resource_link');
  await client.request('initialize', { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: {} });
  expect((await blocks()).map(({ type }) => type)).toEqual(['text']);
});

verifies(
  ['codex:status:required', 'codex:server:unknown-session'],
  'a status requires only a session, and names an unknown one',
  async () => {
    const { client } = shared;
    expect(await client.failure('codex_status')).toContain('sessionId');
    const id = '01a10000-0000-7000-8000-000000000000';
    expect(await client.failure('codex_status', { sessionId: id })).toContain(id);
    expect(await client.failure('codex_status', { sessionId: 'no-such-thing' })).toContain('no-such-thing');
    const flow = follow(client, String((await run(client, [{ message: 'x' }]))['sessionId']));
    expect(await flow.status()).toMatchObject({ status: 'done' });
  },
);
