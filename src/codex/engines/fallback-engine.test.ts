import { expect, test } from 'vitest';
import { createMemoryEngine, refuseWith, SILENT_LISTENER } from '../../../test/contracts/engine-in-memory.ts';
import { AppError } from '../../base/errors.ts';
import type { Engine } from '../engine.ts';
import { FallbackEngine } from './fallback-engine.ts';

const ENDED = new AppError('PROCESS_EXITED', 'unrecognized subcommand');
const CRASH_LOOP = new AppError('BUSY', 'Codex ended several times in a row', { cause: ENDED });
const UNKNOWN = new AppError('REQUEST_FAILED', 'unknown variant `thread/list`', { data: { method: 'thread/list' } });

test.each([
  ['too old for any engine', ENDED, new AppError('CODEX_MISSING', 'too old')],
  ['new enough', ENDED, false],
  ['a failure for another reason', new AppError('REQUEST_FAILED', 'no'), true],
  ['a folder that another session uses', new AppError('BUSY', 'in use'), true],
])('does not fall back to exec: %s', async (_, failure, lacks) => {
  const { engine } = open({ models: refuseWith(failure) }, { lacks });
  const expected = lacks instanceof AppError ? lacks : failure;

  await expect(engine.models()).rejects.toBe(expected);
  expect(engine.name).toBe('app-server');
});

test('lists stored sessions without Codex', async () => {
  const missing = new AppError('CODEX_MISSING', 'no codex');
  const { engine } = open({ list: refuseWith(missing), models: refuseWith(missing) });

  expect(await engine.list({ limit: 1 })).toEqual({ sessions: [] });
  await expect(engine.models()).rejects.toBe(missing);
});

test.each([ENDED, CRASH_LOOP, UNKNOWN])('falls back to exec for a Codex without app-server: %s', async (failure) => {
  const { engine, warnings, asked } = open({ list: refuseWith(failure) }, { lacks: true });
  expect(await engine.list({ limit: 1 })).toEqual({ sessions: [] });
  await engine.list({ limit: 1 });

  expect([engine.name, engine.unsupported]).toEqual(['exec', { steer: 'no' }]);
  expect(asked).toEqual(['close']);
  expect(warnings).toEqual([`This Codex has no app-server (${failure.message}): sessions use codex exec.`]);
});

test('keeps an app-server that has worked once, even after a failure', async () => {
  const { engine, appServer } = open({}, { lacks: true });
  await engine.list({ limit: 1 });
  appServer.list = refuseWith(ENDED);

  await expect(engine.list({ limit: 1 })).rejects.toBe(ENDED);
  expect(engine.name).toBe('app-server');
});

test('closes both engines, whichever is in use', async () => {
  const { engine, appServer, exec } = open();
  await engine.close();

  expect([appServer.asked, exec.asked]).toEqual([['close'], ['close']]);
});

test('forwards every call to the engine in use', async () => {
  const { engine, appServer } = open();
  const turn = await engine.start({ settings: {}, turn: {}, input: { text: 'a', images: [] }, onTurnReady: () => {} });
  const { sessionId } = turn;
  await engine.steer(turn, { text: 'b', images: [] });
  await engine.interrupt(turn, new AbortController().signal);
  await engine.say({ sessionId, settings: {}, turn: {}, input: { text: 'c', images: [] } });
  await engine.stopCommands(sessionId);
  await engine.fork({ sessionId, settings: {} });
  await engine.review((await engine.open({})).sessionId, { type: 'uncommittedChanges' });
  expect((await engine.read({ sessionId, limit: 1 })).sessionId).toBe(sessionId);
  expect([await engine.models(), await engine.rateLimits()]).toEqual([[], {}]);
  await engine.close();

  expect(appServer.asked).toEqual([
    'start a',
    'steer turn-1 b',
    'interrupt turn-1',
    'say c',
    'stopCommands session-1',
    'fork session-1',
    'open',
    'review uncommittedChanges',
    'close',
  ]);
});

function open(over: Partial<Engine> = {}, { lacks = false }: { readonly lacks?: boolean | AppError } = {}) {
  const appServer = createMemoryEngine(SILENT_LISTENER, { over });
  const exec = createMemoryEngine(SILENT_LISTENER, { over: { name: 'exec', unsupported: { steer: 'no' } } });
  const warnings: string[] = [];
  const engine = new FallbackEngine({
    appServer,
    exec,
    async lacksAppServer() {
      if (lacks instanceof AppError) throw lacks;
      return lacks;
    },
    log: { warn: (text) => warnings.push(text) },
  });
  return { engine, appServer, exec, asked: appServer.asked, warnings };
}
