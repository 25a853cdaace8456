import { expect, test } from 'vitest';
import type { EngineTests } from './engine.ts';

/** Stored sessions, after their engine has closed. */
export function testStored({ openTestbed, lacks }: EngineTests): void {
  test('another engine resumes a session in its folder, with its conversation', async () => {
    await using testbed = await openTestbed();
    const cwd = await testbed.folder('elsewhere');
    const used = { usage: { input_tokens: 100, output_tokens: 20 } };
    const { sessionId } = await testbed.run([used, { message: 'The word is teal.' }], { cwd });
    await testbed.engine.close();
    await using other = await testbed.another();
    const turn = await other.say(sessionId, [{ message: 'I know.' }]);

    expect(await other.endOf(turn)).toEqual({ status: 'completed', lastMessage: 'I know.' });
    expect(turn.sessionId).toBe(sessionId);
    expect(JSON.stringify(testbed.model.requests.at(-1)?.input)).toContain('The word is teal.');
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
    await using testbed = await openTestbed();
    const { engine } = testbed;
    expect(await engine.list({ limit: 10 })).toEqual({ sessions: [] });
    const folders = [await testbed.folder('first'), await testbed.folder('second'), await testbed.folder('third')];
    const listed = [];
    for (const directory of folders) {
      const message = `from ${directory}`;
      const { sessionId } = await testbed.run([{ message }], { cwd: directory });
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
    expect((await engine.list({ limit: 10, workingDirectory: testbed.home.rootDir })).sessions).toEqual([]);
    expect((await engine.list({ limit: 10, search: '/third' })).sessions).toEqual([listed[0]]);
  });

  test.runIf(!lacks.includes('name'))('a session has the name that it was given', async () => {
    await using testbed = await openTestbed();
    const { sessionId } = await testbed.run([{ message: 'One.' }], { name: 'Mine' });

    expect((await testbed.engine.list({ limit: 10 })).sessions).toMatchObject([{ sessionId, name: 'Mine' }]);
  });

  test('reads turns without resuming the session: newest page first, oldest turn first within a page', async () => {
    await using testbed = await openTestbed();
    const { sessionId } = await testbed.run([{ message: 'One.' }]);
    await testbed.endOf(await testbed.say(sessionId, [{ message: 'Two.' }]));
    await testbed.endOf(await testbed.say(sessionId, [{ error: 401 }]));
    await testbed.engine.close();
    await using other = await testbed.another();

    const whole = await other.engine.read({ sessionId, limit: 10 });
    expect(whole).toMatchObject({ sessionId, directory: testbed.home.workDir });
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
    expect(other.reported).toEqual([]);
  });

  test.runIf(!lacks.includes('fork'))(
    'a fork has the conversation of its session, but the session does not see the fork',
    async () => {
      await using testbed = await openTestbed();
      const { sessionId } = await testbed.run([{ message: 'The word is teal.' }]);
      const fork = await testbed.engine.fork({ sessionId, settings: {} });
      const turn = await testbed.say(fork.sessionId, [{ message: 'In the fork.' }]);

      expect(fork).toMatchObject({ cwd: testbed.home.workDir, forkedFrom: sessionId });
      expect(fork.sessionId).not.toBe(sessionId);
      expect(await testbed.endOf(turn)).toEqual({ status: 'completed', lastMessage: 'In the fork.' });
      expect(JSON.stringify(testbed.model.requests.at(-1)?.input)).toContain('The word is teal.');
      await testbed.endOf(await testbed.say(sessionId, [{ message: 'In the original.' }]));
      expect(JSON.stringify(testbed.model.requests.at(-1)?.input)).not.toContain('In the fork.');
    },
  );

  test.runIf(lacks.includes('fork'))('a Codex that cannot fork says so', async () => {
    await using testbed = await openTestbed();
    const { sessionId } = await testbed.run([{ message: 'One.' }]);

    await expect(testbed.engine.fork({ sessionId, settings: {} })).rejects.toMatchObject({ code: 'REQUEST_FAILED' });
    expect(testbed.engine.unsupported.fork).toMatch(/\w+ .*\.$/);
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
