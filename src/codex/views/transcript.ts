import { AppError } from '../../base/errors.ts';
import type { StoredTurn } from '../engine.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Page } from '../text/pages.ts';

/** The size of one page. */
const MAX_CHARS = 500_000;
const TURNS_PER_READ = 50;

/**
 * What was said and done in a session, as a text for people, oldest first. The first page is the end of it; the next
 * pages are what was before.
 */
export async function writeTranscript({ engine }: Sessions, sessionId: string, page?: string): Promise<Page> {
  const parts: string[] = [];
  let place = readPlace(page);
  let left = MAX_CHARS;
  for (;;) {
    const { cursor, skipped } = place;
    const read = await engine.read({ sessionId, limit: TURNS_PER_READ, ...(cursor === undefined ? {} : { cursor }) });
    const text = read.turns.map(writeTurn).join('\n\n');
    const rest = text.slice(0, Math.max(0, text.length - skipped));
    const shown = rest.slice(-left).replace(OTHER_HALF, '');
    parts.unshift(shown);
    left -= shown.length;
    if (shown.length < rest.length) {
      place = { cursor, skipped: skipped + shown.length };
      break;
    }
    if (read.nextCursor === undefined) return { text: parts.join('\n\n') };
    place = { cursor: read.nextCursor, skipped: 0 };
    if (left <= 0) break;
  }
  return { text: parts.join('\n\n'), next: `${place.skipped}.${place.cursor ?? ''}` };
}

const OTHER_HALF = /^[\udc00-\udfff]/;

/** Where a page ends: so many characters before the end of the turns that this cursor of the engine leads to. */
interface Place {
  readonly cursor: string | undefined;
  readonly skipped: number;
}

function readPlace(page: string | undefined): Place {
  if (page === undefined) return { cursor: undefined, skipped: 0 };
  const [, skipped, cursor] = /^(\d{1,12})\.(.*)$/s.exec(page) ?? [];
  if (skipped === undefined) throw new AppError('BAD_ARGUMENTS', `This is no page of a transcript: ${page}`);
  return { cursor: cursor === '' ? undefined : cursor, skipped: Number(skipped) };
}

function writeTurn({ turnId, status, entries, failure }: StoredTurn): string {
  const lines = entries.map(({ role, type, text }) => {
    if (role === 'user') return `**User**\n\n${text}`;
    return type === 'agent_message' ? `**Codex**\n\n${text}` : `- ${type}: ${text}`;
  });
  const end = failure === undefined ? status : `${status}: ${failure.message}`;
  return [`## Turn ${turnId} (${end})`, ...lines].join('\n\n');
}
