import { expect, test } from 'vitest';
import { SessionRoster } from './session-registry.ts';

const LIMITS = { maxSessions: 2, maxEvents: 10 };

test('a session that we do not drive is not found', () => {
  const roster = new SessionRoster(LIMITS);

  expect(roster.find('x')).toBeUndefined();
  expect(() => roster.get('x')).toThrow(
    expect.objectContaining({
      code: 'SESSION_NOT_FOUND',
      message:
        'No turn of a session x ran in this server. codex_status reads a stored session, codex_say continues one, codex_list shows all.',
      data: { sessionId: 'x' },
    }),
  );
});

test('what is reserved counts until it is given back, and giving back twice gives back once', () => {
  const roster = new SessionRoster(LIMITS);
  const release = roster.reserve();
  roster.reserve();
  expect(() => roster.reserve()).toThrow(expect.objectContaining({ code: 'BUSY', data: { limit: 2, sessionIds: [] } }));
  release();
  release();

  roster.reserve();
  expect(() => roster.reserve()).toThrow(expect.objectContaining({ code: 'BUSY' }));
});

test('a session that came to nothing is dropped; one that had a turn is not', () => {
  const roster = new SessionRoster(LIMITS);
  const empty = roster.adopt({ sessionId: 'a', cwd: '/' }, {});
  const used = roster.adopt({ sessionId: 'b', cwd: '/' }, {});
  used.begin();
  roster.drop(empty);
  roster.drop(used);

  expect([roster.all(), roster.running()]).toEqual([[used], [used]]);
});

test('whoever listens hears of every session, until they no longer want to', () => {
  const roster = new SessionRoster(LIMITS);
  const heard: string[] = [];
  const stop = roster.onChange(({ id, status }) => heard.push(`${id} ${status}`));
  const session = roster.adopt({ sessionId: 'a', cwd: '/' }, {});
  session.begin();
  stop();
  session.endTurn({ status: 'interrupted' });

  expect(heard).toEqual(['a active']);
});

test('only so many are remembered: those that run, and the latest of the others', () => {
  const roster = new SessionRoster(LIMITS);
  roster.adopt({ sessionId: 'running', cwd: '/' }, {}).begin();
  for (let count = 1; count <= 1000; count++) roster.adopt({ sessionId: `s${count}`, cwd: '/' }, {});

  expect(roster.all()).toHaveLength(1000);
  expect([roster.find('running')?.isRunning, roster.find('s1'), roster.find('s2')?.id]).toEqual([
    true,
    undefined,
    's2',
  ]);
});
