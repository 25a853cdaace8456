import { type CacheHints, UNCACHED } from './cache-hints.ts';
import type { CatalogList } from './catalog-list.ts';
import type { ListKind } from './listing.ts';

/** The state of one list of a server. `list-retries.ts` counts its failures. */
export interface ListState {
  /** The list as last read, in this run or an earlier one. */
  content: CatalogList | undefined;
  /** Whether the content was taken over from the predecessor. */
  isInherited: boolean;
  /** The caching hints of the last response in this run. */
  hints: CacheHints;
  /** When the list was last requested in this run. */
  requestedAt: number;
  /** Why the list is missing or incomplete. */
  problem: string | undefined;
  /** Whether the list was read in this run, or reading it failed. */
  isListed: boolean;
  /** A list that has just been read pauses before it is read again. */
  activity: 'idle' | 'reading' | 'pausing';
  /** Whether the list must be read again after the current read and its pause. */
  isStale: boolean;
}

export type ListStates = Readonly<Record<ListKind, ListState>>;

export function createListStates(): ListStates {
  return { tools: unread(), prompts: unread(), resources: unread(), resourceTemplates: unread() };
}

function unread(): ListState {
  return {
    content: undefined,
    isInherited: false,
    hints: UNCACHED,
    requestedAt: 0,
    problem: undefined,
    isListed: false,
    activity: 'idle',
    isStale: false,
  };
}

/** Returns true if the list was read in this run and the server has not reported a change since. */
export function isFresh({ isListed, activity, isStale }: ListState): boolean {
  return isListed && activity !== 'reading' && !isStale;
}

/** Returns true if the list was read in this run or an earlier one. */
export function isKnown({ isListed, content }: ListState): boolean {
  return isListed || content !== undefined;
}
