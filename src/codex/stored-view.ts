import { cut } from './cut.ts';
import type { StoredSession, StoredTurn } from './engine.ts';
import { lastOf } from './status-view.ts';

/** What is told of a session that Codex has stored and nobody has resumed here: what it came to last. */
export function toStoredView(stored: StoredSession, outputLines: number) {
  const turn = stored.turns.at(-1);
  const messages = (turn?.entries ?? []).filter(({ type }) => type === 'agent_message').map(({ text }) => text);
  const result = messages.at(-1);
  const { directory } = stored;
  return {
    sessionId: stored.sessionId,
    status: toStatus(turn),
    isStored: true,
    ...(result === undefined || turn?.status !== 'completed' ? {} : { result: cut(result, MAX_RESULT_CHARS) }),
    ...(turn?.failure === undefined ? {} : { error: turn.failure }),
    recentOutput: lastOf(messages, outputLines).map((text) => cut(text, MAX_RESULT_CHARS)),
    itemEvents: [],
    ...(directory === undefined ? {} : { workingDirectory: directory }),
  };
}

const MAX_RESULT_CHARS = 16_000;

/** Of a turn that has no end another Codex may still be working on it; for us it is not running. */
function toStatus(turn: StoredTurn | undefined): string {
  if (turn === undefined || turn.status === 'completed') return 'done';
  return turn.status === 'failed' ? 'error' : 'interrupted';
}
