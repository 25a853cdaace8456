import { AppError } from '../../base/errors.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { StoredTurn } from '../storage/stored-session.ts';
import type { Page } from '../text/pages.ts';

/** The maximum size of one page. */
const MAX_CHARS = 500_000;
const TURNS_PER_READ = 50;

/**
 * Renders the transcript of a session as readable text, oldest turn first. The first page is the end of the transcript;
 * each further page precedes the one before.
 */
export async function renderTranscript({ engine }: Sessions, sessionId: string, page?: string): Promise<Page> {
  const parts: string[] = [];
  let position = parseCursor(page);
  let left = MAX_CHARS;
  for (;;) {
    const { cursor, skipped } = position;
    const read = await engine.read({ sessionId, limit: TURNS_PER_READ, ...(cursor === undefined ? {} : { cursor }) });
    const text = read.turns.map(renderTurn).join('\n\n');
    const rest = text.slice(0, Math.max(0, text.length - skipped));
    const piece = rest.slice(-left).replace(LOW_SURROGATE_START, '');
    parts.unshift(piece);
    left -= piece.length;
    if (piece.length < rest.length) {
      position = { cursor, skipped: skipped + piece.length };
      break;
    }
    if (read.nextCursor === undefined) return { text: parts.join('\n\n') };
    position = { cursor: read.nextCursor, skipped: 0 };
    if (left <= 0) break;
  }
  return { text: parts.join('\n\n'), next: `${position.skipped}.${position.cursor ?? ''}` };
}

const LOW_SURROGATE_START = /^[\udc00-\udfff]/;

/** The end of a page: `skipped` characters before the end of the turns that the engine returns for `cursor`. */
interface TranscriptCursor {
  readonly cursor: string | undefined;
  readonly skipped: number;
}

function parseCursor(page: string | undefined): TranscriptCursor {
  if (page === undefined) return { cursor: undefined, skipped: 0 };
  const [, skipped, cursor] = /^(\d{1,12})\.(.*)$/s.exec(page) ?? [];
  if (skipped === undefined) throw new AppError('BAD_ARGUMENTS', `This is not a page of a transcript: ${page}`);
  return { cursor: cursor === '' ? undefined : cursor, skipped: Number(skipped) };
}

function renderTurn({ turnId, status, entries, failure }: StoredTurn): string {
  const lines = entries.map(({ role, type, text }) => {
    if (role === 'user') return `**User**\n\n${text}`;
    return type === 'agent_message' ? `**Codex**\n\n${text}` : `- ${type}: ${text}`;
  });
  const end = failure === undefined ? status : `${status}: ${failure.message}`;
  return [`## Turn ${turnId} (${end})`, ...lines].join('\n\n');
}
