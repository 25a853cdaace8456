import { expect, test } from 'vitest';
import { storedSession } from '../../../test/contracts/engine-in-memory.ts';
import { openMemorySessions } from '../../../test/contracts/sessions-in-memory.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { StoredTurn } from '../storage/stored-session.ts';
import { renderTranscript } from './transcript.ts';

test('rejects a session that does not exist', async () => {
  await expect(renderTranscript(open([]), 'nowhere')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
});

test('lists messages and actions oldest first, with the end of each turn', async () => {
  const turns: StoredTurn[] = [
    {
      turnId: '1',
      status: 'completed',
      entries: [
        { role: 'user', type: 'user_message', text: 'Look.' },
        { role: 'codex', type: 'command_execution', text: 'ls' },
        { role: 'codex', type: 'agent_message', text: 'I see.' },
      ],
    },
    {
      turnId: '2',
      status: 'failed',
      failure: { kind: 'auth', message: 'no' },
      entries: [{ role: 'user', type: 'user_message', text: 'More.' }],
    },
  ];

  expect((await renderTranscript(open(turns), 's')).text).toBe(
    '## Turn 1 (completed)\n\n**User**\n\nLook.\n\n- command_execution: ls\n\n**Codex**\n\nI see.\n\n## Turn 2 (failed: no)\n\n**User**\n\nMore.',
  );
});

test('reads all pages in order', async () => {
  const turns = Array.from({ length: 120 }, (_, index) => turnOf(String(index), 'x'));
  const { text, next } = await renderTranscript(open(turns), 's');

  expect(next).toBeUndefined();
  expect([...text.matchAll(/^## Turn (\d+)/gm)].map(([, id]) => Number(id))).toEqual(turns.map((_, index) => index));
});

test('starts a long transcript at its end, and links every page to the one before', async () => {
  const turns = Array.from({ length: 120 }, (_, index) => turnOf(String(index), `${index} ${'x'.repeat(30_000)}`));
  turns[60] = turnOf('60', `long ${'y'.repeat(2_500_000)} end`);
  const sessions = open(turns);
  const pages: string[] = [];
  let page: string | undefined;
  do {
    const read = await renderTranscript(sessions, 's', page);
    expect(read.text.length).toBeLessThanOrEqual(500_100);
    pages.unshift(read.text);
    page = read.next;
  } while (page !== undefined && pages.length < 20);

  expect(pages.at(-1)).toContain('## Turn 119');
  const whole = pages.join('');
  expect([...whole.matchAll(/## Turn (\d+) /g)].map(([, id]) => Number(id))).toEqual(turns.map((_, index) => index));
  expect(whole.split('y')).toHaveLength(2_500_001);
});

test('rejects an invalid page', async () => {
  await expect(renderTranscript(open([]), 's', 'x')).rejects.toThrow('This is not a page of a transcript: x');
});

function turnOf(turnId: string, text: string): StoredTurn {
  return { turnId, status: 'completed', entries: [{ role: 'codex', type: 'agent_message', text }] };
}

function open(turns: readonly StoredTurn[]): Sessions {
  return openMemorySessions({ stored: [storedSession('s', turns)] }).sessions;
}
