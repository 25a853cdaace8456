import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readStoredSession } from './stored-sessions.ts';

const ID = '01a1e2f7-85a3-7381-a247-0e95c12ad912';

test('reads a long turn completely, with its answer last and no truncated text', async () => {
  const home = await mkdtemp(join(tmpdir(), 'stored-turns-'));
  try {
    const answer = '😀'.repeat(200_000);
    const commands = Array.from({ length: 1500 }, (_, index) =>
      item({ type: 'CommandExecution', command: [`${index}`] }),
    );
    const message = (text: string) => item({ type: 'AgentMessage', content: [{ type: 'Text', text }] });
    const lines = [
      { type: 'session_meta', payload: { id: ID, cwd: '/ws', source: 'exec' } },
      event({ type: 'task_started', turn_id: 't' }),
      message('I begin.'),
      ...commands,
      message(answer),
      event({ type: 'task_complete', turn_id: 't' }),
    ];
    const folder = join(home, 'sessions', '2026', '11', '16');
    await mkdir(folder, { recursive: true });
    const text = lines.map((line) => JSON.stringify(line)).join('\n');
    await writeFile(join(folder, `rollout-2026-11-16T06-07-22-${ID}.jsonl`), text);

    const { turns } = await readStoredSession(home, { sessionId: ID, limit: 1 });
    expect(turns[0]?.entries).toHaveLength(commands.length + 2);
    expect(turns[0]?.entries.at(-1)?.text === answer).toBe(true);
  } finally {
    await rm(home, { recursive: true });
  }
});

function item(raw: object) {
  return event({ type: 'item_completed', item: raw });
}

function event(payload: object) {
  return { type: 'event_msg', payload };
}
