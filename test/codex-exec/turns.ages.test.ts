import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { OpenedSession } from '../../src/codex/engine.ts';
import { codexAges, testWith } from '../codex/ages.ts';
import type { CodexAge } from '../codex/codex-binary.ts';
import { type ModelRequest, textOf } from '../codex/model-request.ts';
import { script } from '../codex/script.ts';
import type { Step } from '../codex/steps.ts';
import { trackProcesses } from '../processes.ts';
import { openExecWorld, request } from './exec-world.ts';

const tracker = trackProcesses();
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

testWith('today')('a command that a turn leaves running ends with the turn and is reported as failed', async () => {
  await using world = await openExecWorld({ tracker, age: 'today' });
  const leaves = [{ shell: 'sleep 93', options: { yield_time_ms: 250 } }, { message: 'left' }];
  const turn = await world.engine.start(request(script(leaves)));
  expect(await world.endOf(turn)).toEqual({ status: 'completed', lastMessage: 'left' });

  const items = world.told.flatMap(({ event }) => (event.kind === 'item' ? [event.item] : []));
  const commands = items.filter(({ type }) => type === 'command_execution');
  expect(commands.map(({ status }) => status)).toEqual(['started', 'failed']);
});

describe.each(codexAges('today', 'old'))('the Codex of %s', (age) => {
  test('starts a session, reports its turn, and resumes it in its own folder', async () => {
    await using world = await openExecWorld({ tracker, age });
    const { engine, home } = world;
    const folder = join(home.rootDir, 'elsewhere');
    await mkdir(folder);
    const steps: Step[] = [
      { reasoning: 'I think.' },
      { usage: { input_tokens: 100, cached_input_tokens: 40, output_tokens: 7 } },
      { message: 'Hello.' },
    ];
    const opened: OpenedSession[] = [];
    const onTurnReady = (session: OpenedSession) => opened.push(session);
    const settings = { cwd: folder, sandbox: 'read-only' } as const;
    const turn = await engine.start(request(script(steps), { settings, onTurnReady }));
    const { sessionId, turnId } = turn;
    const used = { inputTokens: 100, cachedInputTokens: 40, outputTokens: 7, reasoningOutputTokens: 0 };

    expect(await world.endOf(turn)).toEqual({ status: 'completed', lastMessage: 'Hello.' });
    expect(world.told).toEqual(
      [
        { kind: 'turn-started', turnId },
        { kind: 'item', turnId, item: item('item_0', 'reasoning', 'I think.') },
        { kind: 'item', turnId, item: { ...item('item_1', 'agent_message', 'Hello.'), text: 'Hello.' } },
        { kind: 'usage', total: used, turn: used, contextWindow: undefined },
        { kind: 'turn-ended', turnId, end: { status: 'completed', lastMessage: 'Hello.' } },
      ].map((event) => ({ sessionId, event })),
    );

    expect(opened).toEqual([{ sessionId, cwd: folder, approvalPolicy: 'never', sandbox: 'read-only' }]);

    const again = [{ usage: { input_tokens: 5, output_tokens: 1 } }, { message: 'Still here.' }];
    const second = await engine.say({ sessionId, ...request(script(again)) });
    expect(await world.endOf(second)).toEqual({ status: 'completed', lastMessage: 'Still here.' });
    expect(world.told[5]?.event).toEqual({
      kind: 'opened',
      session: { sessionId, cwd: folder, approvalPolicy: 'never' },
    });
    expect(world.told.slice(5).map(({ event }) => event)).toContainEqual({
      kind: 'usage',
      total: { inputTokens: 105, cachedInputTokens: 40, outputTokens: 8, reasoningOutputTokens: 0 },
      turn: { inputTokens: 5, cachedInputTokens: 0, outputTokens: 1, reasoningOutputTokens: 0 },
      contextWindow: undefined,
    });
    const body = JSON.stringify(world.model.requests.at(-1)?.body);
    expect(body).toContain('Hello.');
    expect(body.match(/<cwd>[^<]*<\/cwd>/g)?.every((cwd) => cwd === `<cwd>${folder}</cwd>`)).toBe(true);
  });

  test('interrupts a shell command, and leaves nothing running', async () => {
    await using world = await openExecWorld({ tracker, age });
    const { signal } = new AbortController();
    const prompt = script([shell(age, 'sleep 600 & sleep 601'), { message: 'never' }]);
    const turn = await world.engine.start(request(prompt, { settings: { sandbox: 'danger-full-access' } }));
    await world.waitFor((event) => event.kind === 'item' && event.item.type === 'command_execution');
    await vi.waitFor(() => expect(sleepers()).toHaveLength(2), { timeout: 30_000 });
    await world.engine.interrupt({ ...turn, turnId: 'another' }, signal);
    await world.engine.interrupt(turn, signal);

    expect(await world.endOf(turn)).toEqual({ status: 'interrupted' });
    expect(tracker.alive().filter(({ command }) => !command.startsWith('/bin/sh'))).toEqual([]);
    await world.engine.interrupt(turn, signal);
    const next = await world.engine.say({ sessionId: turn.sessionId, ...request(script([{ message: 'Yes?' }])) });
    expect(await world.endOf(next)).toEqual({ status: 'completed', lastMessage: 'Yes?' });
    // Whether the interrupted turn reports its usage is a race in Codex. The usage of the next turn alone is known
    // only if it does.
    const usage = world.told.flatMap(({ event }) => (event.kind === 'usage' ? [event.turn !== undefined] : []));
    expect([[false], [true, true]]).toContainEqual(usage);
  });

  test('reports a model error as a failed turn with its HTTP status', async () => {
    await using world = await openExecWorld({
      tracker,
      age,
      extra: { model_providers: { scripted: { stream_max_retries: 1 } } },
    });
    const turn = await world.engine.start(request(script([{ error: 401 }])));
    const end = await world.endOf(turn);

    expect(end).toMatchObject({ status: 'failed', failure: { kind: 'auth', httpStatus: 401 } });
    expect(end.status === 'failed' && end.failure.message).toMatch(
      /^unexpected status 401 Unauthorized: .*\(codex exec exited with code 1\)$/,
    );
    const retries = world.told.filter(({ event }) => event.kind === 'retrying');
    expect(retries).toMatchObject([{ event: { message: expect.stringContaining('Reconnecting... 1/1') } }]);
  });

  test('passes on all settings, at the start and on resume', async () => {
    await using world = await openExecWorld({
      tracker,
      age,
      extraConfig: async () => ({ mcp_servers: { 'a.b': { command: 'true', enabled: false } } }),
    });
    const { home, engine } = world;
    const image = join(home.rootDir, 'one, two.png');
    await writeFile(image, PIXEL);
    const outputSchema = {
      type: 'object',
      properties: { n: { type: 'number' } },
      required: ['n'],
      additionalProperties: false,
    };
    const over = {
      settings: {
        cwd: home.workDir,
        effort: 'high',
        sandbox: 'workspace-write',
        config: { model_verbosity: 'low' },
        baseInstructions: 'Base instructions.',
        developerInstructions: 'Say "moo".\nAlways.',
        addDirs: [home.rootDir],
      },
      turn: { model: 'gpt-5.4', effort: 'low', outputSchema },
    } as const;
    const ask = (text: string) => ({ text: script([{ message: '{"n":1}' }], text), images: [image] });
    const turn = await engine.start(request('', { ...over, input: ask('First.') }));
    expect(await world.endOf(turn)).toEqual({ status: 'completed', lastMessage: '{"n":1}' });
    checkRequest(world.model.requests.at(-1), { images: 1, outputSchema });

    const second = await engine.say({ sessionId: turn.sessionId, ...over, input: ask('Second.') });
    expect(await world.endOf(second)).toEqual({ status: 'completed', lastMessage: '{"n":1}' });
    checkRequest(world.model.requests.at(-1), { images: 2, outputSchema });
    expect((await readdir(world.scratchDir)).filter((name) => name.startsWith('turn-'))).toEqual([]);
  });

  test.each([
    ['starts with a dash', `-m --help ${'x'.repeat(10)}`],
    ['is long', `${'x'.repeat(300_000)}\n`],
    ['looks like a command', 'resume'],
    ['has unusual characters', '\u0000 "é€😀" $(true) \\ \r\n end '],
  ])('passes on a prompt that %s unchanged', async (_, text) => {
    await using world = await openExecWorld({ tracker, age });
    const prompt = script([{ message: 'ok' }], text);
    const turn = await world.engine.start(request(prompt));

    expect(await world.endOf(turn)).toEqual({ status: 'completed', lastMessage: 'ok' });
    expect(textOf(world.model.requests.at(-1)?.input.at(-1)?.['content'])).toBe(prompt);
  });

  test('does not create an unknown session', async () => {
    await using world = await openExecWorld({ tracker, age });
    const say = (sessionId: string) => world.engine.say({ sessionId, ...request(script([{ message: 'x' }])) });

    await expect(say('01a1e0b3-0000-7000-8000-000000000000')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    await expect(say('../../etc')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    expect({ told: world.told, requests: world.model.requests }).toEqual({ told: [], requests: [] });
  });

  test('forks, or reports that this Codex cannot', async () => {
    await using world = await openExecWorld({ tracker, age });
    const { engine } = world;
    const turn = await engine.start(request(script([{ message: 'Origin.' }])));
    await world.endOf(turn);
    const forking = engine.fork({ sessionId: turn.sessionId, settings: {} });
    if (age === 'old') {
      await expect(forking).rejects.toMatchObject({ code: 'REQUEST_FAILED' });
      expect(engine.unsupported.fork).toMatch(/update it/);
      return;
    }
    const fork = await forking;
    expect(fork).toEqual({
      sessionId: fork.sessionId,
      cwd: world.home.workDir,
      approvalPolicy: 'never',
      forkedFrom: turn.sessionId,
    });
    expect(fork.sessionId).not.toBe(turn.sessionId);
    const next = await engine.say({ sessionId: fork.sessionId, ...request(script([{ message: 'Branch.' }])) });
    expect(await world.endOf(next)).toEqual({ status: 'completed', lastMessage: 'Branch.' });
    const { turns } = await engine.read({ sessionId: fork.sessionId, limit: 10 });
    expect(turns.map(({ entries }) => entries.at(-1)?.text)).toEqual(['Origin.', 'Branch.']);
  });

  test('lists and reads stored sessions', async () => {
    await using world = await openExecWorld({ tracker, age });
    const { engine, home } = world;
    const first = script([shell(age, 'true'), { message: 'One.' }], 'Find the NEEDLE. ');
    const turn = await engine.start(request(first, { settings: { sandbox: 'danger-full-access' } }));
    await world.endOf(turn);
    const second = await engine.say({ sessionId: turn.sessionId, ...request(script([{ message: 'Two.' }])) });
    await world.endOf(second);
    const other = await engine.start(request(script([{ error: 401 }])));
    await world.endOf(other);

    const { sessions } = await engine.list({ limit: 10 });
    expect(sessions.map(({ sessionId }) => sessionId)).toEqual([other.sessionId, turn.sessionId]);
    const found = await engine.list({ limit: 10, search: 'needle', workingDirectory: home.workDir });
    expect(found).toEqual({
      sessions: [
        {
          sessionId: turn.sessionId,
          directory: home.workDir,
          summary: expect.stringMatching(/^Find the NEEDLE\./),
          timestamp: expect.stringMatching(/^\d{4}-/),
          source: 'exec',
        },
      ],
    });
    const stored = await engine.read({ sessionId: turn.sessionId, limit: 10 });
    expect(stored.turns).toMatchObject([
      {
        status: 'completed',
        entries: [{ role: 'user', text: first }, { type: 'command_execution' }, { text: 'One.' }],
      },
      { status: 'completed', entries: [{ role: 'user' }, { role: 'codex', type: 'agent_message', text: 'Two.' }] },
    ]);
  });
});

function item(id: string, type: string, summary: string) {
  return { id, type, status: 'completed', summary };
}

/** The old Codex runs commands with a different tool. */
function shell(age: CodexAge, command: string): Step {
  if (age === 'today') return { shell: command };
  return { tool: { name: 'shell', arguments: { command: ['bash', '-c', command] } } };
}

function sleepers() {
  return tracker.alive().filter(({ command }) => /^sleep 60[01]/.test(command));
}

function checkRequest(sent: ModelRequest | undefined, expected: { images: number; outputSchema: unknown }): void {
  const body = sent?.body ?? {};
  const text = JSON.stringify(body);
  expect(body).toMatchObject({
    model: 'gpt-5.4',
    reasoning: { effort: 'low' },
    text: { format: { type: 'json_schema', schema: expected.outputSchema } },
  });
  expect(text.match(/"type":"input_image"/g)).toHaveLength(expected.images);
  expect(text).toContain('Base instructions.');
  expect(text).toContain('Say \\"moo\\".\\nAlways.');
  expect(text).toContain('workspace-write');
}
