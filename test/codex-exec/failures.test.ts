import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openProcesses } from '../../src/base/process/processes.ts';
import { launch } from '../../src/codex/engines/exec/launch.ts';
import { script } from '../codex/script.ts';
import { trackProcesses } from '../processes.ts';
import { type ExecTestbed, fixture, openExecTestbed, request } from './exec-testbed.ts';

const tracker = trackProcesses();
const LONG = script([{ shell: 'sleep 602' }, { message: 'never' }]);

test('reports a missing Codex in one line', async () => {
  await using testbed = await openExecTestbed({ tracker, command: { command: 'no-such-codex', args: [] } });

  await expect(testbed.engine.start(request('hi'))).rejects.toMatchObject({
    code: 'CODEX_MISSING',
    message:
      'Codex could not be started. Spawn error: command not found: no-such-codex. Check PATH, or give the full path of the command. Install it with npm install -g @openai/codex, or set CODEX_CLI_PATH to its executable.',
  });
});

test('does not blame Codex for a missing folder', async () => {
  await using testbed = await openExecTestbed({ tracker });
  const cwd = join(testbed.home.rootDir, 'nowhere');

  await expect(testbed.engine.start(request('hi', { settings: { cwd } }))).rejects.toMatchObject({
    code: 'SPAWN_FAILED',
    message: `Spawn error: the working folder does not exist: ${cwd}`,
  });
});

test('works outside a repository if the caller allows it, and Codex rejects it otherwise', async () => {
  await using testbed = await openExecTestbed({ tracker });
  const cwd = await mkdtemp(join(tmpdir(), 'outside-git-'));
  try {
    const prompt = script([{ message: 'Here.' }]);
    const refused = testbed.engine.start(request(prompt, { settings: { cwd } }));
    await expect(refused).rejects.toMatchObject({ message: expect.stringMatching(/trusted directory/) });
    const turn = await testbed.engine.start(request(prompt, { settings: { cwd, skipsGitCheck: true } }));
    expect(await testbed.endOf(turn)).toEqual({ status: 'completed', lastMessage: 'Here.' });
  } finally {
    await rm(cwd, { recursive: true });
  }
});

test('reports configuration that Codex rejects in its words', async () => {
  await using testbed = await openExecTestbed({ tracker });
  const settings = { config: { model_provider: 'nobody' } };

  await expect(testbed.engine.start(request('hi', { settings }))).rejects.toMatchObject({
    code: 'START_FAILED',
    message: expect.stringMatching(/^codex exec exited with code 1 before a session began: .*nobody/),
  });
});

test('rejects an argument that is too long for the system before it starts anything', async () => {
  await using testbed = await openExecTestbed({ tracker });
  const settings = { developerInstructions: 'x'.repeat(140_000) };

  await expect(testbed.engine.start(request('hi', { settings }))).rejects.toMatchObject({ code: 'BAD_ARGUMENTS' });
  await testbed.engine.start(
    request(script([{ message: 'ok' }]), { settings: { baseInstructions: settings.developerInstructions } }),
  );
});

test('runs one turn of a session at a time, in this engine and in another', async () => {
  await using testbed = await openExecTestbed({ tracker });
  await using other = await openExecTestbed({ tracker, at: testbed });
  const turn = await testbed.engine.start(request(LONG, { settings: { sandbox: 'danger-full-access' } }));
  await itemOf(testbed);
  const again = { sessionId: turn.sessionId, ...request(script([{ message: 'x' }])) };

  await expect(testbed.engine.say(again)).rejects.toMatchObject({ code: 'BUSY' });
  await expect(other.engine.say(again)).rejects.toMatchObject({ code: 'SESSION_HELD' });
  expect((await testbed.engine.read({ sessionId: turn.sessionId, limit: 1 })).turns).toMatchObject([
    { status: 'running' },
  ]);
});

test('close ends every turn, and nothing starts afterward', async () => {
  await using testbed = await openExecTestbed({ tracker });
  const turns = await Promise.all([testbed.engine.start(request(LONG)), testbed.engine.start(request(LONG))]);
  const starting = testbed.engine.start(request(LONG));
  const outcome = expect(starting).rejects.toMatchObject({ code: 'CANCELLED' });
  await Promise.all([testbed.engine.close(), testbed.engine.close()]);

  await outcome;
  const ends = testbed.reported.flatMap(({ event }) => (event.kind === 'turn-ended' ? [event] : []));
  expect(ends.map(({ turnId }) => turnId).toSorted()).toEqual(turns.map(({ turnId }) => turnId).toSorted());
  expect(ends.map(({ end }) => end)).toEqual([{ status: 'interrupted' }, { status: 'interrupted' }]);
  await expect(testbed.engine.start(request('hi'))).rejects.toMatchObject({ code: 'CANCELLED' });
});

test('a cancelled start leaves nothing behind', async () => {
  await using testbed = await openExecTestbed({ tracker, command: fixture('never-reports-session') });
  const giveUp = new AbortController();
  const starting = testbed.engine.start(request('hi', { signal: giveUp.signal }));
  const outcome = expect(starting).rejects.toMatchObject({ code: 'CANCELLED' });
  await vi.waitFor(() => expect(fixturesAlive()).toHaveLength(1), { timeout: 30_000 });
  giveUp.abort();

  await outcome;
  expect(fixturesAlive()).toEqual([]);
  await expect(testbed.engine.start(request('hi', { signal: giveUp.signal }))).rejects.toMatchObject({
    code: 'CANCELLED',
  });
});

test.each([
  ['SIGTERM', { status: 'interrupted' }],
  [
    'SIGKILL',
    { status: 'failed', failure: { kind: 'engine', message: 'codex exec was killed by SIGKILL: no reason given' } },
  ],
] as const)('Codex ended by %s from outside', async (signal, end) => {
  await using testbed = await openExecTestbed({ tracker });
  const turn = await testbed.engine.start(request(LONG, { settings: { sandbox: 'danger-full-access' } }));
  await itemOf(testbed);
  const [codex] = tracker.alive().filter(({ command }) => /codex exec/.test(command));
  process.kill(codex?.pid ?? Number.NaN, signal);

  expect(await testbed.endOf(turn)).toEqual(end);
  expect(tracker.alive().filter(({ command }) => /^sleep 602/.test(command))).toEqual([]);
});

test('ends a Codex that ignores an interrupt', async () => {
  await using testbed = await openExecTestbed({ tracker, command: fixture('ignores-sigint') });
  const turn = await testbed.engine.start(request('hi'));
  await testbed.waitFor((event) => event.kind === 'turn-started');
  await testbed.engine.interrupt(turn, new AbortController().signal);

  expect(await testbed.endOf(turn)).toEqual({ status: 'interrupted' });
  expect(fixturesAlive()).toEqual([]);
});

test('interrupts a Codex that was started through its script', async () => {
  const script = createRequire(import.meta.url).resolve('@openai/codex/bin/codex.js');
  await using testbed = await openExecTestbed({ tracker, command: { command: process.execPath, args: [script] } });
  const turn = await testbed.engine.start(request(LONG, { settings: { sandbox: 'danger-full-access' } }));
  await itemOf(testbed);
  await testbed.engine.interrupt(turn, new AbortController().signal);

  expect(await testbed.endOf(turn)).toEqual({ status: 'interrupted' });
  expect(tracker.alive().filter(({ command }) => /codex exec|^sleep 602/.test(command))).toEqual([]);
});

test('skips lines that are not events, however the stream is split', async () => {
  await using testbed = await openExecTestbed({ tracker, command: fixture('writes-junk') });
  const turn = await testbed.engine.start(request('hi'));

  expect(await testbed.endOf(turn)).toEqual({ status: 'completed', lastMessage: 'é€😀' });
  expect(testbed.reported.map(({ event }) => event.kind)).toEqual(['turn-started', 'item', 'usage', 'turn-ended']);
  expect(testbed.warnings).toEqual([
    'codex exec wrote a line that is not a JSON object (6 characters)',
    'codex exec wrote a line that is not a JSON object (6 characters)',
    'codex exec wrote a line that is not a JSON object (8 characters)',
  ]);
});

test('reports a Codex that is too old', async () => {
  await using testbed = await openExecTestbed({ tracker, command: fixture('uses-old-events') });

  await expect(testbed.engine.start(request('hi'))).rejects.toMatchObject({
    code: 'START_FAILED',
    message: expect.stringMatching(/^This Codex is too old: .* Update it: /),
  });
  expect(fixturesAlive()).toEqual([]);
});

test('gives up a Codex that starts no session, with its stderr tail', async () => {
  const env = tracker.env();
  const processes = openProcesses({ env });
  const { command, args } = fixture('never-reports-session');
  const log = { debug: () => {}, warn: () => {} };
  try {
    const launching = launch(
      {
        processes,
        program: async () => ({ command, args, env }),
        folders: { codexHome: tmpdir(), home: tmpdir(), scratch: tmpdir(), cwd: tmpdir() },
        log,
      },
      {
        ...request('hi'),
        target: { kind: 'start' },
        cwd: tmpdir(),
        signal: undefined,
        deadlineMs: 5_000,
      },
      { onSession: () => expect.unreachable(), onEvent: () => expect.unreachable() },
    );
    await expect(launching).rejects.toMatchObject({
      code: 'START_FAILED',
      message: 'codex exec did not start a session within 5 seconds. From its stderr: waiting for a login',
    });
    expect(fixturesAlive()).toEqual([]);
  } finally {
    await processes.close();
  }
});

test('explains what it does not support', async () => {
  await using testbed = await openExecTestbed({ tracker });
  const { engine } = testbed;
  const turn = { sessionId: 'x', turnId: 'y' };
  const attempts = {
    steer: engine.steer(turn, { text: 'hi', images: [] }),
    review: engine.review('x', { type: 'uncommittedChanges' }),
    models: engine.models(),
    rateLimits: engine.rateLimits(),
  };
  for (const [ability, attempt] of Object.entries(attempts)) {
    const sentence = Object.entries(engine.unsupported).find(([name]) => name === ability)?.[1];
    await expect(attempt).rejects.toMatchObject({ code: 'REQUEST_FAILED', message: sentence });
  }
  expect(Object.keys(engine.unsupported)).toEqual(['approvals', ...Object.keys(attempts)]);
  await expect(engine.open({})).rejects.toMatchObject({ code: 'REQUEST_FAILED' });
  await expect(engine.fork({ sessionId: 'x', settings: {}, lastTurnId: 'y' })).rejects.toMatchObject({
    code: 'REQUEST_FAILED',
  });
  await engine.stopCommands('x');
});

async function itemOf(testbed: ExecTestbed): Promise<void> {
  await testbed.waitFor((event) => event.kind === 'item' && event.item.type === 'command_execution');
}

function fixturesAlive() {
  return tracker.alive().filter(({ command }) => command.includes('/codex-exec/fixtures/'));
}
