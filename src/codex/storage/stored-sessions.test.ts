import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listStoredSessions, locateStoredSession, readStoredSession } from './stored-sessions.ts';

const TODAY = '01a1e2f7-85a3-7381-a247-0e95c12ad912';
const FORK = '01a1e2f7-8a3e-78c2-adcb-703c03de2bbf';
const OLD = '01a1e2f7-d71e-7e20-820d-43d8a804b360';
const OLDEST = '01a1e2f7-0000-7e20-820d-43d8a804b360';
const BROKEN = '01a1e2f7-ffff-7e20-820d-43d8a804b360';
const NOBODY = '01a1e2f7-1111-7e20-820d-43d8a804b360';
const USED = '2026-11-16T06:07:22.000Z';
let home = '';

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'stored-sessions-'));
  await store('2026/11/16', { time: '06-07-22', id: TODAY }, today(TODAY, { cwd: '/ws' }));
  await store('2026/11/16', { time: '06-07-30', id: FORK }, [
    meta(FORK, { cwd: '/other', forked_from_id: TODAY, forked_from_ordinal_exclusive: 7 }, 7),
    ...turn('t3', { prompt: 'Branch off', answer: 'Branched.' }, 8),
  ]);
  await store('2026/10/31', { time: '23-59-59', id: OLD }, old(OLD));
  await store('2025/12/31', { time: '00-00-00', id: OLDEST }, [{ id: OLDEST, timestamp: 'x', instructions: null }]);
  await store('2026/11/17', { time: '00-00-00', id: BROKEN }, ['{"type":"session_me']);
  await write('2026/11/16/rollout-nonsense.jsonl', 'x');
  await write('2026/11/16/notes.txt', 'x');
  await write('2026/thirteen/x', 'x');
});

afterAll(() => rm(home, { recursive: true }));

describe('listing', () => {
  const fork = { sessionId: FORK, directory: '/other', summary: 'Branch off', timestamp: USED, source: 'exec' };
  const newest = { sessionId: TODAY, directory: '/ws', summary: 'Make it so now', timestamp: USED, source: 'exec' };
  const older = { sessionId: OLD, directory: '/ws', summary: 'Old QUESTION', timestamp: USED, source: 'cli' };
  const oldest = { sessionId: OLDEST, timestamp: USED };

  test('is newest first, and skips what is not a session', async () => {
    expect(await listStoredSessions(home, { limit: 10 })).toEqual({ sessions: [fork, newest, older, oldest] });
  });

  test('continues from the cursor', async () => {
    const first = await listStoredSessions(home, { limit: 1 });
    expect(first).toEqual({ sessions: [fork], nextCursor: expect.any(String) });
    const second = await listStoredSessions(home, { limit: 2, cursor: first.nextCursor ?? '' });
    expect(second.sessions).toEqual([newest, older]);
    const last = await listStoredSessions(home, { limit: 2, cursor: second.nextCursor ?? '' });
    expect(last).toEqual({ sessions: [oldest] });
  });

  test('filters by exact folder and by first prompt', async () => {
    const inFolder = (workingDirectory: string) => listStoredSessions(home, { limit: 10, workingDirectory });
    expect((await inFolder('/ws/')).sessions).toEqual([newest, older]);
    expect((await inFolder('/w')).sessions).toEqual([]);
    expect((await listStoredSessions(home, { limit: 10, search: 'question' })).sessions).toEqual([older]);
    expect((await listStoredSessions(home, { limit: 10, search: 'Something else' })).sessions).toEqual([]);
  });

  test('is empty without stored sessions, and rejects an invalid cursor', async () => {
    expect(await listStoredSessions(join(home, 'nowhere'), { limit: 10 })).toEqual({ sessions: [] });
    await expect(listStoredSessions(home, { limit: 1, cursor: '../..' })).rejects.toMatchObject({
      code: 'BAD_ARGUMENTS',
    });
  });
});

describe('reading', () => {
  const user = (text: string) => ({ role: 'user', type: 'user_message', text });
  const codex = (type: string, text: string) => ({ role: 'codex', type, text });
  const first = {
    turnId: 't1',
    status: 'completed',
    entries: [
      user('Make it so\nnow'),
      codex('reasoning', 'Hm.'),
      codex('command_execution', '/bin/bash -lc ls'),
      codex('agent_message', 'Done.'),
    ],
  };
  const second = {
    turnId: 't2',
    status: 'failed',
    failure: { kind: 'auth', message: 'unexpected status 401 Unauthorized: no', httpStatus: 401 },
    entries: [user('Again'), user('And this')],
  };

  test('returns all turns with their end', async () => {
    const { turns, nextCursor, ...info } = await readStoredSession(home, { sessionId: TODAY, limit: 10 });
    expect(info).toEqual({
      sessionId: TODAY,
      directory: '/ws',
      summary: 'Make it so now',
      timestamp: USED,
      source: 'exec',
    });
    expect({ turns, nextCursor }).toEqual({
      turns: [first, second, { turnId: 't4', status: 'interrupted', entries: [user('Cut off')] }],
      nextCursor: undefined,
    });
  });

  test('reports a turn without an end as running if the session is running', async () => {
    const { turns } = await readStoredSession(home, { sessionId: TODAY, limit: 1 }, { isRunning: true });
    expect(turns).toMatchObject([{ turnId: 't4', status: 'running' }]);
  });

  test('returns the last turns, and earlier ones by cursor', async () => {
    const page = await readStoredSession(home, { sessionId: TODAY, limit: 2 });
    expect(page).toMatchObject({ turns: [{ turnId: 't2' }, { turnId: 't4' }], nextCursor: '1' });
    const before = await readStoredSession(home, { sessionId: TODAY, limit: 2, cursor: '1' });
    expect({ turns: before.turns, nextCursor: before.nextCursor }).toEqual({ turns: [first], nextCursor: undefined });
  });

  test('includes the turns of the origin up to the fork', async () => {
    const { turns } = await readStoredSession(home, { sessionId: FORK, limit: 10 });
    expect(turns).toEqual([
      first,
      { turnId: 't3', status: 'completed', entries: [user('Branch off'), codex('agent_message', 'Branched.')] },
    ]);
  });

  test('splits an old session into turns at its prompts', async () => {
    const { turns } = await readStoredSession(home, { sessionId: OLD, limit: 10 });
    expect(turns).toEqual([
      {
        turnId: 'turn-1',
        status: 'completed',
        entries: [
          user('Old QUESTION'),
          codex('reasoning', 'Hm.'),
          codex('command_execution', 'shell {"command":["ls"]}'),
          codex('agent_message', 'Old answer.'),
        ],
      },
      { turnId: 'turn-2', status: 'interrupted', entries: [user('Stop')] },
      { turnId: 'turn-3', status: 'completed', entries: [user('Go on'), codex('mcp_tool_call', 'mcp__s__t {}')] },
    ]);
  });

  test.each([[NOBODY], [BROKEN], [''], ['../../../etc/passwd'], ['rollout-']])(
    'rejects %j as a session',
    async (sessionId) => {
      await expect(readStoredSession(home, { sessionId, limit: 1 })).rejects.toMatchObject({
        code: 'SESSION_NOT_FOUND',
      });
    },
  );

  test('rejects an invalid cursor', async () => {
    const reading = readStoredSession(home, { sessionId: TODAY, limit: 1, cursor: '-1' });
    await expect(reading).rejects.toMatchObject({ code: 'BAD_ARGUMENTS' });
  });

  test('locating returns the file and the folder', async () => {
    expect(await locateStoredSession(home, OLD)).toEqual({
      file: join(home, 'sessions/2026/10/31', `rollout-2026-10-31T23-59-59-${OLD}.jsonl`),
      directory: '/ws',
    });
    await expect(locateStoredSession(home, NOBODY)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });
});

/** The format of 0.166: explicit turns, completed items, and the same content again as the model saw it. */
function today(id: string, over: object): readonly unknown[] {
  return [
    meta(id, over, 0),
    { ordinal: 1, type: 'response_item', payload: { type: 'message', role: 'user', content: [{ text: '<context>' }] } },
    ...turn('t1', { prompt: 'Make it so\nnow', answer: 'Done.', command: 'ls' }, 2),
    event({ type: 'task_started', turn_id: 't2' }, 20),
    item({ type: 'UserMessage', content: [{ type: 'text', text: 'Again' }, { type: 'local_image' }] }, 21),
    item({ type: 'UserMessage', content: [{ type: 'text', text: 'And this' }] }, 22),
    'junk',
    event({ type: 'task_complete', error: { message: 'unexpected status 401 Unauthorized: no' } }, 23),
    event({ type: 'task_started', turn_id: 't4' }, 24),
    item({ type: 'UserMessage', content: [{ type: 'text', text: 'Cut off' }] }, 25),
    item({ type: 'SomethingNew', content: 7 }, 26),
  ];
}

function turn(turnId: string, reply: { prompt: string; answer: string; command?: string }, ordinal: number) {
  const { prompt, answer, command } = reply;
  return [
    event({ type: 'task_started', turn_id: turnId }, ordinal),
    item({ type: 'UserMessage', content: [{ type: 'text', text: prompt }] }, ordinal),
    ...(command === undefined
      ? []
      : [
          item({ type: 'Reasoning', summary_text: ['Hm.'] }, ordinal),
          { ordinal, type: 'response_item', payload: { type: 'function_call', name: 'exec_command', arguments: '{}' } },
          item({ type: 'CommandExecution', command: ['/bin/bash', '-lc', command], exit_code: 0 }, ordinal),
        ]),
    item({ type: 'AgentMessage', content: [{ type: 'Text', text: answer }] }, ordinal),
    event({ type: 'task_complete', turn_id: turnId, last_agent_message: answer }, ordinal),
  ];
}

/** The format of 0.92. */
function old(id: string): readonly unknown[] {
  const call = (name: string, input: unknown) => ({
    type: 'response_item',
    payload: { type: 'function_call', name, arguments: JSON.stringify(input) },
  });
  return [
    { type: 'session_meta', payload: { id, cwd: '/ws', source: 'cli' } },
    {
      type: 'response_item',
      payload: { type: 'message', role: 'user', content: [{ text: '# AGENTS.md instructions' }] },
    },
    event({ type: 'user_message', message: 'Old QUESTION', images: [] }),
    event({ type: 'agent_reasoning', text: 'Hm.' }),
    call('shell', { command: ['ls'] }),
    event({ type: 'agent_message', message: 'Old answer.' }),
    event({ type: 'user_message', message: 'Stop' }),
    event({ type: 'turn_aborted', reason: 'interrupted' }),
    event({ type: 'user_message', message: 'Go on' }),
    call('mcp__s__t', {}),
  ];
}

function meta(id: string, over: object, ordinal: number) {
  return {
    ordinal,
    type: 'session_meta',
    payload: { id, source: 'exec', base_instructions: 'x'.repeat(70_000), ...over },
  };
}

function event(payload: object, ordinal?: number) {
  return { ordinal, type: 'event_msg', payload };
}

function item(raw: object, ordinal: number) {
  return event({ type: 'item_completed', item: raw }, ordinal);
}

async function store(
  day: string,
  { time, id }: { time: string; id: string },
  lines: readonly unknown[],
): Promise<void> {
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  await write(`${day}/rollout-${day.replaceAll('/', '-')}T${time}-${id}.jsonl`, text);
}

async function write(place: string, text: string): Promise<void> {
  const file = join(home, 'sessions', place);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  await utimes(file, new Date(USED), new Date(USED));
}
