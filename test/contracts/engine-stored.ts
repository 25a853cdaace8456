import { expect, test } from 'vitest';
import type { EngineTests } from './engine.ts';

/** Stored sessions, after their engine has closed. */
export function testStored({ openWorld, lacks }: EngineTests): void {
  test('another engine resumes a session in its folder, with its conversation', async () => {
    await using world = await openWorld();
    const cwd = await world.folder('elsewhere');
    const used = { usage: { input_tokens: 100, output_tokens: 20 } };
    const { sessionId } = await world.run([used, { message: 'The word is teal.' }], { cwd });
    await world.engine.close();
    await using other = await world.another();
    const turn = await other.say(sessionId, [{ message: 'I know.' }]);

    expect(await other.endOf(turn)).toEqual({ status: 'completed', lastMessage: 'I know.' });
    expect(turn.sessionId).toBe(sessionId);
    expect(JSON.stringify(world.model.requests.at(-1)?.input)).toContain('The word is teal.');
    const events = other.eventsOf(sessionId).filter(({ kind }) => kind === 'opened' || kind === 'turn-started');
    expect(events.slice(0, 2)).toEqual([
      { kind: 'opened', session: expect.objectContaining({ sessionId, cwd }) },
      { kind: 'turn-started', turnId: turn.turnId },
    ]);
    // The usage of the previous turn does not count. An engine that cannot separate the two reports no usage.
    const { turn: own } = { turn: undefined, ...other.eventsOf(sessionId).findLast(({ kind }) => kind === 'usage') };
    expect([
      undefined,
      { inputTokens: 10, cachedInputTokens: 0, outputTokens: 5, reasoningOutputTokens: 0 },
    ]).toContainEqual(own);
  });

  test('sessions are listed with folder and summary, most recent first, paginated and filtered by folder', async () => {
    await using world = await openWorld();
    const { engine } = world;
    expect(await engine.list({ limit: 10 })).toEqual({ sessions: [] });
    const folders = [await world.folder('first'), await world.folder('second'), await world.folder('third')];
    const listed = [];
    for (const directory of folders) {
      const message = `from ${directory}`;
      const { sessionId } = await world.run([{ message }], { cwd: directory });
      const summary = expect.stringContaining(`Say ${message}`);
      const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
      listed.unshift(expect.objectContaining({ sessionId, directory, summary, timestamp }));
    }

    const all = await engine.list({ limit: 10 });
    expect(all.sessions).toEqual(listed);
    const page = await engine.list({ limit: 2 });
    expect(page).toEqual({ sessions: listed.slice(0, 2), nextCursor: expect.any(String) });
    const rest = await engine.list({ limit: 2, ...(page.nextCursor === undefined ? {} : { cursor: page.nextCursor }) });
    expect(rest.sessions).toEqual(listed.slice(2));
    expect((await engine.list({ limit: 10, workingDirectory: folders[1] ?? '' })).sessions).toEqual([listed[1]]);
    expect((await engine.list({ limit: 10, workingDirectory: world.home.rootDir })).sessions).toEqual([]);
    expect((await engine.list({ limit: 10, search: '/third' })).sessions).toEqual([listed[0]]);
  });

  test.runIf(!lacks.includes('name'))('a session has the name that it was given', async () => {
    await using world = await openWorld();
    const { sessionId } = await world.run([{ message: 'One.' }], { name: 'Mine' });

    expect((await world.engine.list({ limit: 10 })).sessions).toMatchObject([{ sessionId, name: 'Mine' }]);
  });

  test('reads turns without resuming the session: newest page first, oldest turn first within a page', async () => {
    await using world = await openWorld();
    const { sessionId } = await world.run([{ message: 'One.' }]);
    await world.endOf(await world.say(sessionId, [{ message: 'Two.' }]));
    await world.endOf(await world.say(sessionId, [{ error: 401 }]));
    await world.engine.close();
    await using other = await world.another();

    const whole = await other.engine.read({ sessionId, limit: 10 });
    expect(whole).toMatchObject({ sessionId, directory: world.home.workDir });
    expect(whole.nextCursor).toBeUndefined();
    expect(whole.turns.map(({ turnId: _, ...turn }) => turn)).toEqual([
      turnOf('Say One.', 'One.'),
      turnOf('Say Two.', 'Two.'),
      expect.objectContaining({ entries: [expect.objectContaining({ role: 'user' })] }),
    ]);
    const last = await other.engine.read({ sessionId, limit: 1 });
    expect(last).toMatchObject({ turns: whole.turns.slice(-1), nextCursor: expect.any(String) });
    const before = await other.engine.read({ sessionId, limit: 1, cursor: last.nextCursor ?? '' });
    expect(before.turns).toEqual(whole.turns.slice(1, 2));
    expect(other.told).toEqual([]);
  });

  test.runIf(!lacks.includes('fork'))(
    'a fork has the conversation of its session, but the session does not see the fork',
    async () => {
      await using world = await openWorld();
      const { sessionId } = await world.run([{ message: 'The word is teal.' }]);
      const fork = await world.engine.fork({ sessionId, settings: {} });
      const turn = await world.say(fork.sessionId, [{ message: 'In the fork.' }]);

      expect(fork).toMatchObject({ cwd: world.home.workDir, forkedFrom: sessionId });
      expect(fork.sessionId).not.toBe(sessionId);
      expect(await world.endOf(turn)).toEqual({ status: 'completed', lastMessage: 'In the fork.' });
      expect(JSON.stringify(world.model.requests.at(-1)?.input)).toContain('The word is teal.');
      await world.endOf(await world.say(sessionId, [{ message: 'In the original.' }]));
      expect(JSON.stringify(world.model.requests.at(-1)?.input)).not.toContain('In the fork.');
    },
  );

  test.runIf(lacks.includes('fork'))('a Codex that cannot fork says so', async () => {
    await using world = await openWorld();
    const { sessionId } = await world.run([{ message: 'One.' }]);

    await expect(world.engine.fork({ sessionId, settings: {} })).rejects.toMatchObject({ code: 'REQUEST_FAILED' });
    expect(world.engine.unsupported.fork).toMatch(/\w+ .*\.$/);
  });
}

function turnOf(asked: string, answered: string) {
  return {
    status: 'completed',
    entries: [
      { role: 'user', type: 'user_message', text: expect.stringContaining(asked) },
      { role: 'codex', type: 'agent_message', text: answered },
    ],
  };
}
