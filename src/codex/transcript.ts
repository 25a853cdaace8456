import type { StoredTurn } from './engine.ts';
import type { Sessions } from './sessions.ts';

/** Whoever wants more reads it in pages, by `codex_read`. */
const MAX_CHARS = 1_000_000;
const TURNS_PER_PAGE = 50;

/** All that was said and done in a session, as a text for people: oldest first, and at its end when it is too long. */
export async function writeTranscript({ engine }: Sessions, sessionId: string): Promise<string> {
  const parts: string[] = [];
  let length = 0;
  let cursor: string | undefined;
  do {
    const page = await engine.read({ sessionId, limit: TURNS_PER_PAGE, ...(cursor === undefined ? {} : { cursor }) });
    const text = page.turns.map(writeTurn).join('\n\n');
    parts.unshift(text);
    length += text.length;
    cursor = page.nextCursor;
  } while (cursor !== undefined && length < MAX_CHARS);
  const whole = parts.join('\n\n');
  return whole.length <= MAX_CHARS && cursor === undefined
    ? whole
    : `… what was before is left out\n\n${whole.slice(-MAX_CHARS)}`;
}

function writeTurn({ turnId, status, entries, failure }: StoredTurn): string {
  const lines = entries.map(({ role, type, text }) => {
    if (role === 'user') return `**User**\n\n${text}`;
    return type === 'agent_message' ? `**Codex**\n\n${text}` : `- ${type}: ${text}`;
  });
  const end = failure === undefined ? status : `${status}: ${failure.message}`;
  return [`## Turn ${turnId} (${end})`, ...lines].join('\n\n');
}
