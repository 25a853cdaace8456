import { expect, test } from 'vitest';
import { refuseWith, storedSession } from '../../../test/contracts/engine-in-memory.ts';
import { openMemorySessions } from '../../../test/contracts/sessions-in-memory.ts';
import { AppError } from '../../base/errors.ts';
import { toUnknownApproval } from '../engines/app-server/approvals/action-approvals.ts';
import type { ServerContext } from '../server-context.ts';
import { restoreSettings } from '../settings/restored-settings.ts';
import type { Session } from './session.ts';
import type { SayOptions } from './turn-caller.ts';

const NOBODY = { prompter: undefined };
const APPROVAL = { request: toUnknownApproval('some/requestApproval', {}), requestId: 1, threadId: 'thread' };
const SAY: SayOptions = { prompter: undefined, onBusy: 'error', onConflict: 'error' };

test('a failed start leaves no session and no reservation', async () => {
  const { sessions } = openMemorySessions({
    over: { start: refuseWith(new AppError('CODEX_MISSING', 'no codex')) },
    maxSessions: 1,
  });

  for (const _ of [1, 2])
    await expect(sessions.start({}, {}, input('a'), NOBODY)).rejects.toMatchObject({ code: 'CODEX_MISSING' });
  expect(sessions.registry.all()).toEqual([]);
});

test('a start that fails after the session opened leaves no session either', async () => {
  const { sessions } = openMemorySessions({
    over: {
      async start({ onTurnReady }) {
        onTurnReady({ sessionId: 'half', cwd: '/' });
        throw new AppError('REQUEST_FAILED', 'no turn');
      },
    },
  });

  await expect(sessions.start({}, {}, input('a'), NOBODY)).rejects.toMatchObject({ code: 'REQUEST_FAILED' });
  expect(sessions.registry.all()).toEqual([]);
});

test('starts no turn if the check rejects the opened session', async () => {
  const { sessions, engine } = openMemorySessions();
  const check = () => {
    throw new AppError('DENIED', 'too much');
  };

  await expect(sessions.start({}, {}, input('a'), { ...NOBODY, check })).rejects.toMatchObject({ code: 'DENIED' });
  expect(sessions.registry.all()).toEqual([]);
  expect(engine.asked).toEqual(['start a']);
});

test('rejects sessions over the limit, counting those that are starting, and lists the running ones', async () => {
  const { sessions, engine } = openMemorySessions({ maxSessions: 2 });
  const first = await sessions.start({}, {}, input('a'), NOBODY);
  const second = sessions.start({}, {}, input('b'), NOBODY);

  await expect(sessions.start({}, {}, input('c'), NOBODY)).rejects.toMatchObject({ code: 'BUSY', data: { limit: 2 } });
  await second;
  await expect(sessions.start({}, {}, input('c'), NOBODY)).rejects.toMatchObject({
    code: 'BUSY',
    message: expect.stringContaining('session-1 (active, /project); session-2 (active, /project)'),
    data: { limit: 2, sessionIds: ['session-1', 'session-2'] },
  });
  engine.end(turnOf(first));
  expect((await sessions.start({}, {}, input('c'), NOBODY)).id).toBe('session-3');
});

test('rejects a message to an unknown session, and leaves nothing behind', async () => {
  const { sessions } = openMemorySessions();

  await expect(sessions.say('nowhere', {}, input('hi'), SAY)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  expect(sessions.registry.all()).toEqual([]);
});

test('resumes a session of an earlier run and registers it', async () => {
  const { sessions } = openMemorySessions({ stored: [storedSession('old', [])] });
  const { session, delivery } = await sessions.say('old', {}, input('hi'), SAY);

  expect([delivery, session.status, session.turnCount, sessions.registry.get('old')]).toEqual([
    'started',
    'active',
    1,
    session,
  ]);
});

test('a failed message leaves the session unchanged', async () => {
  const { sessions, engine } = openMemorySessions();
  const session = await sessions.start({}, {}, input('a'), NOBODY);
  engine.end(turnOf(session));
  engine.say = refuseWith(new AppError('SESSION_HELD', 'held'));

  await expect(sessions.say(session.id, {}, input('b'), SAY)).rejects.toMatchObject({ code: 'SESSION_HELD' });
  expect([session.status, session.turnCount, session.turn?.lastMessage]).toEqual(['done', 1, 'Done.']);
});

test('a busy session rejects a message with what to do, and can be steered', async () => {
  const { sessions, engine } = openMemorySessions();
  const session = await sessions.start({}, {}, input('a'), NOBODY);

  await expect(sessions.say(session.id, {}, input('b'), SAY)).rejects.toMatchObject({
    code: 'BUSY',
    message:
      'Session session-1 is busy with a turn. Wait for it (codex_wait), end the turn (codex_interrupt), or set onBusy to "steer" or "queue".',
    data: { sessionId: 'session-1', status: 'active' },
  });
  expect(await sessions.say(session.id, {}, input('b'), { ...SAY, onBusy: 'steer' })).toEqual({
    session,
    delivery: 'steered',
  });
  expect(engine.asked).toEqual(['start a', 'steer turn-1 b']);
});

test('reports that the engine cannot steer', async () => {
  const { sessions } = openMemorySessions({ over: { unsupported: { steer: 'It cannot.' } } });
  const session = await sessions.start({}, {}, input('a'), NOBODY);

  await expect(sessions.say(session.id, {}, input('b'), { ...SAY, onBusy: 'steer' })).rejects.toMatchObject({
    code: 'REQUEST_FAILED',
    message: 'It cannot.',
  });
});

test('sends queued messages in order, one per turn, up to a limit', async () => {
  const { sessions, engine } = openMemorySessions();
  const session = await sessions.start({}, {}, input('a'), NOBODY);
  const queue: SayOptions = { ...SAY, onBusy: 'queue' };
  for (let count = 1; count <= 20; count++)
    expect(await sessions.say(session.id, {}, input(`q${count}`), queue)).toMatchObject({
      session,
      delivery: 'queued',
    });

  await expect(sessions.say(session.id, {}, input('q21'), queue)).rejects.toMatchObject({ code: 'BUSY' });
  engine.end(turnOf(session));
  await settled();
  engine.end(turnOf(session));
  await settled();
  expect(engine.asked).toEqual(['start a', 'say q1', 'say q2']);
  expect([session.queue.length, session.turnCount, session.status]).toEqual([18, 3, 'active']);
});

test('reports a failed queued message as a warning', async () => {
  const { sessions, engine } = openMemorySessions();
  const session = await sessions.start({}, {}, input('a'), NOBODY);
  await sessions.say(session.id, {}, input('b'), { ...SAY, onBusy: 'queue' });
  engine.say = refuseWith(new AppError('SESSION_HELD', 'held'));
  engine.end(turnOf(session));
  await settled();

  expect(session.warnings).toEqual(['A queued message could not be sent: held']);
  expect([session.status, session.queue]).toEqual(['done', []]);
});

test('sends a queued message when the turn before it cannot start', async () => {
  const { sessions, engine } = openMemorySessions({ stored: [storedSession('old', [])] });
  const { first, fail } = await sayAndHold({ sessions, engine });
  const { session } = await sessions.say('old', {}, input('b'), { ...SAY, onBusy: 'queue' });
  fail(new AppError('SIGN_IN_NEEDED', 'not signed in'));

  await expect(first).rejects.toMatchObject({ code: 'SIGN_IN_NEEDED' });
  await settled();
  expect(engine.asked).toEqual(['say b']);
  expect([session.status, session.queue, session.turnCount]).toEqual(['active', [], 1]);
  expect(sessions.registry.get('old')).toBe(session);
});

test('a message queued behind a denied first turn is checked like that turn', async () => {
  const { sessions, engine } = openMemorySessions({ stored: [storedSession('old', [])] });
  const { first, fail } = await sayAndHold({ sessions, engine }, { origin: 'caller' });
  const restored = await restoreSettings('old', { sessions } as ServerContext);
  await sessions.say('old', {}, input('b'), { ...SAY, onBusy: 'queue' });
  fail(new AppError('DENIED', 'too much'));

  await expect(first).rejects.toMatchObject({ code: 'DENIED' });
  await settled();
  const later = await restoreSettings('old', { sessions } as ServerContext);
  expect([restored.origin, later.origin]).toEqual(['caller', 'caller']);
});

test('a server that closes sends no queued messages', async () => {
  const { sessions, engine } = openMemorySessions({ stored: [storedSession('old', [])] });
  const { first, fail } = await sayAndHold({ sessions, engine });
  await sessions.say('old', {}, input('b'), { ...SAY, onBusy: 'queue' });
  const closed = sessions.close();
  fail(new AppError('CANCELLED', 'closed'));

  await expect(first).rejects.toMatchObject({ code: 'CANCELLED' });
  await closed;
  await settled();
  expect(engine.asked).toEqual(['close']);
});

test('a session keeps the reasons why none of its queued messages could be sent', async () => {
  const { sessions, engine } = openMemorySessions({ stored: [storedSession('old', [])] });
  const { first, fail } = await sayAndHold({ sessions, engine });
  const { session } = await sessions.say('old', {}, input('b'), { ...SAY, onBusy: 'queue' });
  await sessions.say('old', {}, input('c'), { ...SAY, onBusy: 'queue' });
  let refused = 0;
  engine.say = () => Promise.reject(new AppError('SIGN_IN_NEEDED', `refused ${++refused}`));
  fail(new AppError('SIGN_IN_NEEDED', 'not signed in'));

  await expect(first).rejects.toMatchObject({ code: 'SIGN_IN_NEEDED' });
  await settled();
  expect(session.warnings).toEqual([
    'A queued message could not be sent: refused 1',
    'A queued message could not be sent: refused 2',
  ]);
  expect([session.status, session.queue, session.turnCount]).toEqual(['done', [], 0]);
  expect(sessions.registry.get('old')).toBe(session);
});

test('forks a session held by another Codex if the caller allows it', async () => {
  const { sessions, engine } = openMemorySessions({ stored: [storedSession('old', [])] });
  const say = engine.say;
  engine.say = (request) =>
    request.sessionId === 'old' ? Promise.reject(new AppError('SESSION_HELD', 'held')) : say(request);
  const { session, delivery } = await sessions.say('old', {}, input('b'), { ...SAY, onConflict: 'fork' });

  expect([delivery, session.id, session.opened.forkedFrom, session.status]).toEqual([
    'forked',
    'session-1',
    'old',
    'active',
  ]);
  expect(sessions.registry.find('old')).toBeUndefined();
});

test('keeps the settings of a turn for a resume, except the output schema', async () => {
  const { sessions, engine } = openMemorySessions();
  const session = await sessions.start({ cwd: '/a', model: 'm' }, {}, input('a'), NOBODY);
  engine.end(turnOf(session));
  await sessions.say(session.id, { model: 'n', effort: 'low', outputSchema: {} }, input('b'), SAY);

  expect(session.settings).toEqual({ cwd: '/a', model: 'n', effort: 'low' });
});

test('refuses an approval request of an unknown session at once', async () => {
  const { engine } = openMemorySessions();

  expect(await engine.listener.approvalRequested('stranger', APPROVAL)).toEqual({ decision: 'decline' });
});

test('an interrupt cancels approvals and ends the turn, and rejects an unknown session', async () => {
  const { sessions, engine } = openMemorySessions();
  const session = await sessions.start({}, {}, input('a'), NOBODY);
  const response = engine.listener.approvalRequested(session.id, APPROVAL);
  expect(session.status).toBe('awaiting_approval');

  expect(await sessions.interrupt(session.id)).toEqual({ session, wasRunning: true, droppedMessages: 0, notes: [] });
  expect([await response, session.status]).toEqual([{ decision: 'cancel' }, 'interrupted']);
  expect(() => sessions.interrupt('nowhere')).toThrow(expect.objectContaining({ code: 'SESSION_NOT_FOUND' }));
});

test('what Codex withdraws is refused in every session, also in one whose turn has ended', async () => {
  const { sessions, engine } = openMemorySessions();
  const [running, over] = [
    await sessions.start({}, {}, input('a'), NOBODY),
    await sessions.start({}, {}, input('b'), NOBODY),
  ];
  const responses = [running, over].map(({ id }, index) =>
    engine.listener.approvalRequested(id, { ...APPROVAL, requestId: index }),
  );
  engine.end(turnOf(over));
  engine.listener.approvalsWithdrawn(({ requestId }) => requestId === 1);
  expect([running.pendingApprovals.length, over.pendingApprovals.length]).toEqual([1, 0]);
  engine.listener.approvalsWithdrawn(() => true);

  expect(await Promise.all(responses)).toEqual([{ decision: 'decline' }, { decision: 'decline' }]);
  expect(running.status).toBe('active');
});

test('an engine crash fails every running turn with the reason, and drops queued messages', async () => {
  const { sessions, engine, warnings } = openMemorySessions();
  const running = await sessions.start({}, {}, input('a'), NOBODY);
  const over = await sessions.start({}, {}, input('b'), NOBODY);
  engine.end(turnOf(over));
  await sessions.say(running.id, {}, input('c'), { ...SAY, onBusy: 'queue' });
  engine.listener.crashed(new AppError('PROCESS_EXITED', 'Codex was ended by SIGKILL.'));

  expect([running.status, running.failure, running.queue]).toEqual([
    'error',
    { kind: 'engine', message: 'Codex was ended by SIGKILL.' },
    [],
  ]);
  expect([over.status, warnings]).toEqual(['done', ['Codex was ended by SIGKILL.']]);
  expect((await sessions.say(running.id, {}, input('d'), SAY)).delivery).toBe('started');
});

test('a review is the turn of a new session, and leaves no session if it is rejected', async () => {
  const { sessions, engine } = openMemorySessions();
  const session = await sessions.review({ cwd: '/repo' }, { type: 'uncommittedChanges' }, NOBODY);
  expect([session.status, session.turn?.id, session.opened.cwd]).toEqual(['active', 'turn-1', '/repo']);
  engine.review = refuseWith(new AppError('REQUEST_FAILED', 'no'));

  await expect(sessions.review({}, { type: 'uncommittedChanges' }, NOBODY)).rejects.toMatchObject({ message: 'no' });
  expect(sessions.registry.all()).toEqual([session]);
});

test('a review that is cancelled while Codex opens its session does not start', async () => {
  const { sessions, engine } = openMemorySessions();
  const cancelling = new AbortController();
  const check = () => cancelling.abort(new AppError('CANCELLED', 'gave up'));
  const caller = { ...NOBODY, check, signal: cancelling.signal };

  await expect(sessions.review({}, { type: 'uncommittedChanges' }, caller)).rejects.toMatchObject({
    code: 'CANCELLED',
  });
  expect([engine.asked, sessions.registry.all()]).toEqual([['open'], []]);
});

test('close closes the engine', async () => {
  const { sessions, engine } = openMemorySessions();
  await sessions.start({}, {}, input('a'), NOBODY);
  await sessions.close();

  expect(engine.asked).toEqual(['start a', 'close']);
});

test('the late failure of an abandoned turn does not revert the next one', async () => {
  const failures: ((error: AppError) => void)[] = [];
  const hang = () => new Promise<never>((_, reject) => failures.push(reject));
  const { sessions } = openMemorySessions({ over: { say: hang } });
  const session = sessions.registry.add({ sessionId: 's', cwd: '/' }, {});
  session.turnCount = 1;
  const first = sessions.say('s', {}, input('a'), SAY);
  await expect.poll(() => failures.length).toBe(1);
  session.cancelStart();
  session.endTurn({ status: 'interrupted' });
  void sessions.say('s', {}, input('b'), SAY).catch(() => undefined);
  failures[0]?.(new AppError('REQUEST_FAILED', 'too late'));

  await expect(first).rejects.toMatchObject({ message: 'too late' });
  expect([session.status, session.turnCount]).toEqual(['active', 3]);
});

/** Sends a message to the session `old` and returns when the engine is starting its turn, which `fail` rejects. */
async function sayAndHold(
  { sessions, engine }: Pick<ReturnType<typeof openMemorySessions>, 'sessions' | 'engine'>,
  options: Partial<SayOptions> = {},
) {
  const { say } = engine;
  const fails: ((error: AppError) => void)[] = [];
  engine.say = () => {
    engine.say = say;
    return new Promise<never>((_, reject) => fails.push(reject));
  };
  const first = sessions.say('old', {}, input('a'), { ...SAY, ...options });
  await expect.poll(() => fails.length).toBe(1);
  return { first, fail: (error: AppError) => fails[0]?.(error) };
}

function input(text: string) {
  return { text, images: [] };
}

function turnOf({ id, turn }: Session) {
  return { sessionId: id, turnId: turn?.id ?? '' };
}

/** Waits until everything that an event started has been reported. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
