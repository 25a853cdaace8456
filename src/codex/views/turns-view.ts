import type { StoredTurn } from '../storage/stored-session.ts';
import { truncateJson } from '../text/truncate.ts';
import { toErrorView } from './status-view.ts';

/** About as much as clients show a model of one result. The rest of the result is small. */
const MAX_CHARS = 76_000;
const MAX_TURN_CHARS = 70_000;
const MAX_ENTRY_CHARS = 4_000;
const MAX_ENTRIES = 100;

/** Returns views of the turns of a page. Omits the oldest turns if there are too many. */
export function toTurnViews(turns: readonly StoredTurn[]) {
  const views: TurnView[] = [];
  let left = MAX_CHARS;
  let isCut = false;
  for (const turn of turns.toReversed()) {
    const turnView = toTurnView(turn);
    left -= JSON.stringify(turnView.view).length + 1;
    // The newest turn is always included: each turn alone is small enough.
    if (left < 0 && views.length > 0) break;
    views.unshift(turnView.view);
    isCut ||= turnView.isCut;
  }
  return { views, isCut };
}

type TurnView = ReturnType<typeof toTurnView>['view'];

function toTurnView({ turnId, status, entries, failure }: StoredTurn) {
  const entryViews: EntryView[] = [];
  let left = MAX_TURN_CHARS;
  let isCut = entries.length > MAX_ENTRIES;
  for (const { role, type, text } of entries.slice(-MAX_ENTRIES).toReversed()) {
    const entry = { role, type, text: truncateJson(text, MAX_ENTRY_CHARS) };
    left -= JSON.stringify(entry).length + 1;
    isCut ||= left < 0 || entry.text !== text;
    if (left < 0) break;
    entryViews.unshift(entry);
  }
  const error = failure === undefined ? {} : { error: toErrorView(failure) };
  return { view: { turnId, status, entries: entryViews, ...error }, isCut };
}

type EntryView = Pick<StoredTurn['entries'][number], 'role' | 'type' | 'text'>;
