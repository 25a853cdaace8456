import { cutJson } from './cut.ts';
import type { StoredTurn } from './engine.ts';
import type { StoredReading } from './read-stored.ts';
import { recentTexts } from './recent-texts.ts';
import { MAX_OUTPUT_CHARS, MAX_RESULT_CHARS, toError } from './status-view.ts';

/**
 * What is told of a session that Codex has stored and nobody has resumed here: what it came to last. As bounded as the
 * status of any other.
 */
export function toStoredView({ sessionId, directory, turns, isHeld }: StoredReading, outputLines: number) {
  const turn = turns.at(-1);
  const messages = (turn?.entries ?? []).filter(({ type }) => type === 'agent_message').map(({ text }) => text);
  const outputs = recentTexts(messages, { count: outputLines, maxChars: MAX_OUTPUT_CHARS });
  const result = turn?.status === 'completed' ? messages.at(-1) : undefined;
  const shownResult = result === undefined ? undefined : cutJson(result, MAX_RESULT_CHARS);
  const isCut = outputs.isCut || shownResult !== result;
  return {
    sessionId,
    status: toStatus(turn),
    isStored: true,
    ...(isHeld === true ? { heldElsewhere: true } : {}),
    ...(shownResult === undefined ? {} : { result: shownResult }),
    ...(turn?.failure === undefined ? {} : { error: toError(turn.failure) }),
    recentOutput: outputs.texts,
    itemEvents: [],
    ...(directory === undefined ? {} : { workingDirectory: directory }),
    ...(isCut ? { truncated: true } : {}),
  };
}

function toStatus(turn: StoredTurn | undefined): string {
  switch (turn?.status) {
    case 'failed':
      return 'error';
    case 'interrupted':
      return 'interrupted';
    case 'running':
      return 'active';
    default:
      return 'done';
  }
}
