import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { OpenedSession } from '../../src/codex/engine.ts';
import type { CodexRelease } from '../codex/codex-binary.ts';
import { type ModelRequest, textOf } from '../codex/model-request.ts';
import { codexReleases, testWith } from '../codex/releases.ts';
import { script } from '../codex/script.ts';
import type { Step } from '../codex/steps.ts';
import { trackProcesses } from '../processes.ts';
import { openExecTestbed, request } from './exec-testbed.ts';

const tracker = trackProcesses();
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

testWith('current')('a command that a turn leaves running ends with the turn and is reported as failed', async () => {
  await using testbed = await openExecTestbed({ tracker, release: 'current' });
  const leaves = [{ shell: 'sleep 93', options: { yield_time_ms: 250 } }, { message: 'left' }];
  const turn = await testbed.engine.start(request(script(leaves)));
  expect(await testbed.endOf(turn)).toEqual({ status: 'completed', lastMessage: 'left' });

  const items = testbed.reported.flatMap(({ event }) => (event.kind === 'item' ? [event.item] : []));
  const commands = items.filter(({ type }) => type === 'command_execution');
  expect(commands.map(({ status }) => status)).toEqual(['started', 'failed']);
});

describe.each(codexReleases('current', 'old'))('the %s Codex', (release) => {
  test('starts a session, reports its turn, and resumes it in its own folder', async () => {
    await using testbed = await openExecTestbed({ tracker, release });
    const { engine, home } = testbed;
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

    expect(await testbed.endOf(turn)).toEqual({ status: 'completed', lastMessage: 'Hello.' });
    expect(testbed.reported).toEqual(
      [
        { kind: 'turn-started', turnId },
        { kind: 'item', turnId, item: item('item_0', 'reasoning', 'I think.') },
        { kind: 'item', turnId, item: { ...item('item_1', 'agent_message', 'Hello.'), text: 'Hello.' } },
        { kind: 'usage', total: used, turn: used, contextWindow: undefined },
        { kind: 'turn-ended', turnId, end: { status: 'completed', lastMessage: 'Hello.' } },
      ].map((event) => ({ sessionId, event })),
    );

    const known = { sessionId, cwd: folder, approvalPolicy: 'never', forgetsPolicy: true };
    expect(opened).toEqual([{ ...known, sandbox: 'read-only' }]);

    const again = [{ usage: { input_tokens: 5, output_tokens: 1 } }, { message: 'Still here.' }];
    const second = await engine.say({ sessionId, ...request(script(again)) });
    expect(await testbed.endOf(second)).toEqual({ status: 'completed', lastMessage: 'Still here.' });
    expect(testbed.reported[5]?.event).toEqual({
      kind: 'opened',
      session: known,
    });
    expect(testbed.reported.slice(5).map(({ event }) => event)).toContainEqual({
      kind: 'usage',
      total: { inputTokens: 105, cachedInputTokens: 40, outputTokens: 8, reasoningOutputTokens: 0 },
      turn: { inputTokens: 5, cachedInputTokens: 0, outputTokens: 1, reasoningOutputTokens: 0 },
      contextWindow: undefined,
    });
    const body = JSON.stringify(testbed.model.requests.at(-1)?.body);
    expect(body).toContain('Hello.');
    expect(body.match(/<cwd>[^<]*<\/cwd>/g)?.every((cwd) => cwd === `<cwd>${folder}</cwd>`)).toBe(true);
  });

  test('interrupts a shell command, and leaves nothing running', async () => {
    await using testbed = await openExecTestbed({ tracker, release });
    const { signal } = new AbortController();
    const prompt = script([shell(release, 'sleep 600 & sleep 601'), { message: 'never' }]);
    const turn = await testbed.engine.start(request(prompt, { settings: { sandbox: 'danger-full-access' } }));
    await testbed.waitFor((event) => event.kind === 'item' && event.item.type === 'command_execution');
    await vi.waitFor(() => expect(sleepCommands()).toHaveLength(2), { timeout: 30_000 });
    await testbed.engine.interrupt({ ...turn, turnId: 'another' }, signal);
    await testbed.engine.interrupt(turn, signal);

    expect(await testbed.endOf(turn)).toEqual({ status: 'interrupted' });
    expect(tracker.alive().filter(({ command }) => !command.startsWith('/bin/sh'))).toEqual([]);
    await testbed.engine.interrupt(turn, signal);
    const next = await testbed.engine.say({ sessionId: turn.sessionId, ...request(script([{ message: 'Yes?' }])) });
    expect(await testbed.endOf(next)).toEqual({ status: 'completed', lastMessage: 'Yes?' });
    // Whether the interrupted turn reports its usage is a race in Codex. The usage of the next turn alone is known
    // only if it does.
    const usage = testbed.reported.flatMap(({ event }) => (event.kind === 'usage' ? [event.turn !== undefined] : []));
    expect([[false], [true, true]]).toContainEqual(usage);
  });

  test('reports a model error as a failed turn with its HTTP status', async () => {
    await using testbed = await openExecTestbed({
      tracker,
      release,
      extra: { model_providers: { scripted: { stream_max_retries: 1 } } },
    });
    const turn = await testbed.engine.start(request(script([{ error: 401 }])));
    const end = await testbed.endOf(turn);

    expect(end).toMatchObject({ status: 'failed', failure: { kind: 'auth', httpStatus: 401 } });
    expect(end.status === 'failed' && end.failure.message).toMatch(
      /^unexpected status 401 Unauthorized: .*\(codex exec exited with code 1\)$/,
    );
    const retries = testbed.reported.filter(({ event }) => event.kind === 'retrying');
    expect(retries).toMatchObject([{ event: { message: expect.stringContaining('Reconnecting... 1/1') } }]);
  });

  test('passes on all settings, at the start and on resume', async () => {
    await using testbed = await openExecTestbed({
      tracker,
      release,
      extraConfig: async () => ({ mcp_servers: { 'a.b': { command: 'true', enabled: false } } }),
    });
    const { home, engine } = testbed;
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
    expect(await testbed.endOf(turn)).toEqual({ status: 'completed', lastMessage: '{"n":1}' });
    checkRequest(testbed.model.requests.at(-1), { images: 1, outputSchema });

    const second = await engine.say({ sessionId: turn.sessionId, ...over, input: ask('Second.') });
    expect(await testbed.endOf(second)).toEqual({ status: 'completed', lastMessage: '{"n":1}' });
    checkRequest(testbed.model.requests.at(-1), { images: 2, outputSchema });
    expect((await readdir(testbed.scratchDir)).filter((name) => name.startsWith('turn-'))).toEqual([]);
  });

  test.each([
    ['starts with a dash', `-m --help ${'x'.repeat(10)}`],
    ['is long', `${'x'.repeat(300_000)}\n`],
    ['looks like a command', 'resume'],
    ['has unusual characters', '\u0000 "é€😀" $(true) \\ \r\n end '],
  ])('passes on a prompt that %s unchanged', async (_, text) => {
    await using testbed = await openExecTestbed({ tracker, release });
    const prompt = script([{ message: 'ok' }], text);
    const turn = await testbed.engine.start(request(prompt));

    expect(await testbed.endOf(turn)).toEqual({ status: 'completed', lastMessage: 'ok' });
    expect(textOf(testbed.model.requests.at(-1)?.input.at(-1)?.['content'])).toBe(prompt);
  });

  test('does not create an unknown session', async () => {
    await using testbed = await openExecTestbed({ tracker, release });
    const say = (sessionId: string) => testbed.engine.say({ sessionId, ...request(script([{ message: 'x' }])) });

    await expect(say('01a1e0b3-0000-7000-8000-000000000000')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    await expect(say('../../etc')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    expect({ reported: testbed.reported, requests: testbed.model.requests }).toEqual({ reported: [], requests: [] });
  });

  test('forks, or reports that this Codex cannot', async () => {
    await using testbed = await openExecTestbed({ tracker, release });
    const { engine } = testbed;
    const turn = await engine.start(request(script([{ message: 'Origin.' }])));
    await testbed.endOf(turn);
    const forking = engine.fork({ sessionId: turn.sessionId, settings: {} });
    if (release === 'old') {
      await expect(forking).rejects.toMatchObject({ code: 'REQUEST_FAILED' });
      expect(engine.unsupported.fork).toMatch(/update it/);
      return;
    }
    const fork = await forking;
    expect(fork).toEqual({
      sessionId: fork.sessionId,
      cwd: testbed.home.workDir,
      approvalPolicy: 'never',
      forgetsPolicy: true,
      forkedFrom: turn.sessionId,
    });
    expect(fork.sessionId).not.toBe(turn.sessionId);
    const next = await engine.say({ sessionId: fork.sessionId, ...request(script([{ message: 'Branch.' }])) });
    expect(await testbed.endOf(next)).toEqual({ status: 'completed', lastMessage: 'Branch.' });
    const { turns } = await engine.read({ sessionId: fork.sessionId, limit: 10 });
    expect(turns.map(({ entries }) => entries.at(-1)?.text)).toEqual(['Origin.', 'Branch.']);
  });

  test('lists and reads stored sessions', async () => {
    await using testbed = await openExecTestbed({ tracker, release });
    const { engine, home } = testbed;
    const first = script([shell(release, 'true'), { message: 'One.' }], 'Find the NEEDLE. ');
    const turn = await engine.start(request(first, { settings: { sandbox: 'danger-full-access' } }));
    await testbed.endOf(turn);
    const second = await engine.say({ sessionId: turn.sessionId, ...request(script([{ message: 'Two.' }])) });
    await testbed.endOf(second);
    const other = await engine.start(request(script([{ error: 401 }])));
    await testbed.endOf(other);

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
function shell(release: CodexRelease, command: string): Step {
  if (release === 'current') return { shell: command };
  return { tool: { name: 'shell', arguments: { command: ['bash', '-c', command] } } };
}

function sleepCommands() {
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
