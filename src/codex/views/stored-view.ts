import type { InspectedSession } from '../storage/inspect-session.ts';
import type { StoredTurn } from '../storage/stored-session.ts';
import { takeRecentTexts } from '../text/recent-texts.ts';
import { MAX_OUTPUT_CHARS, toErrorView, toResultPage, withoutFinalMessage } from './status-view.ts';

/**
 * Returns the view of a stored session that this server has not resumed: its last turn, with the same size limits as
 * the status of an open session.
 */
export function toStoredView({ sessionId, directory, turns, isHeld }: InspectedSession, outputLines: number) {
  const turn = turns.at(-1);
  const message = storedFinalMessage(turn);
  const messages = withoutFinalMessage(messagesOf(turn), message);
  const outputs = takeRecentTexts(messages, { count: outputLines, maxChars: MAX_OUTPUT_CHARS });
  const page = toResultPage(message);
  const isCut = outputs.isCut || page.resultCursor !== undefined;
  return {
    sessionId,
    status: toStatus(turn),
    isStored: true,
    ...(isHeld === true ? { heldElsewhere: true } : {}),
    ...page,
    ...(turn?.failure === undefined ? {} : { error: toErrorView(turn.failure) }),
    recentOutput: outputs.texts,
    itemEvents: [],
    ...(directory === undefined ? {} : { workingDirectory: directory }),
    ...(isCut ? { truncated: true } : {}),
  };
}

/** Returns the final message of a completed turn. */
export function storedFinalMessage(turn: StoredTurn | undefined): string | undefined {
  return turn?.status === 'completed' ? messagesOf(turn).at(-1) : undefined;
}

function messagesOf(turn: StoredTurn | undefined): readonly string[] {
  return (turn?.entries ?? []).filter(({ type }) => type === 'agent_message').map(({ text }) => text);
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
