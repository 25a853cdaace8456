import { frameBytes } from '../../wire/frame.ts';
import { scanMembers } from '../../wire/json/scan.ts';
import type { OwnResponse } from '../connection/own-request.ts';
import { type CacheHints, combineCacheHints, readCacheHints } from './cache-hints.ts';

export type ListKind = 'tools' | 'prompts' | 'resources' | 'resourceTemplates';

export const LIST_KINDS: readonly ListKind[] = ['tools', 'prompts', 'resources', 'resourceTemplates'];

export const LIST_METHODS: Readonly<Record<ListKind, string>> = {
  tools: 'tools/list',
  prompts: 'prompts/list',
  resources: 'resources/list',
  resourceTemplates: 'resources/templates/list',
};

/** Lists to read again, by change notification. */
export const LIST_CHANGED_KINDS: ReadonlyMap<string, readonly ListKind[]> = new Map([
  ['notifications/tools/list_changed', ['tools']],
  ['notifications/prompts/list_changed', ['prompts']],
  ['notifications/resources/list_changed', ['resources', 'resourceTemplates']],
]);

/** A whole list as sent by the server: the bytes of the array of each page. */
export interface Listing {
  readonly pages: readonly Buffer[];
  /** Why the list may be incomplete. */
  readonly problem: string | undefined;
  /** The hints of all pages together. */
  readonly hints: CacheHints;
}

const MAX_PAGES = 1000;
const MAX_LIST_BYTES = 64 * 1024 * 1024;

/** Follows the cursors to the end of the list. Cuts off an endless list and reports that in `problem`. */
export async function readListing(
  kind: ListKind | 'skills',
  requestPage: (params: Readonly<Record<string, unknown>>) => Promise<OwnResponse>,
): Promise<Listing> {
  const pages: Buffer[] = [];
  const hints: CacheHints[] = [];
  const seen = new Set<string>();
  let bytes = 0;
  let cursor: string | undefined;
  const listing = (problem?: string) => ({ pages, problem, hints: combineCacheHints(hints) });
  for (;;) {
    const page = readPage(kind, await requestPage(cursor === undefined ? {} : { cursor }));
    if (page === undefined) return listing(`a page without an array ${JSON.stringify(kind)}`);
    pages.push(page.items);
    hints.push(page.hints);
    bytes += page.items.length;
    cursor = page.cursor;
    if (cursor === undefined) return listing();
    if (seen.has(cursor)) return listing('a cursor that points back to itself');
    if (pages.length >= MAX_PAGES) return listing(`more than ${MAX_PAGES} pages`);
    if (bytes > MAX_LIST_BYTES) return listing(`more than ${MAX_LIST_BYTES / 1024 / 1024} MiB`);
    seen.add(cursor);
  }
}

interface Page {
  readonly items: Buffer;
  readonly cursor: string | undefined;
  readonly hints: CacheHints;
}

function readPage(kind: ListKind | 'skills', { frame }: OwnResponse): Page | undefined {
  const result = createMemberLookup(frameBytes(frame))('result');
  const find = result === undefined ? undefined : createMemberLookup(result);
  const items = find?.(kind);
  if (items === undefined || items[0] !== OPEN_BRACKET) return undefined;
  const written = find?.('nextCursor');
  const cursor = written?.[0] === QUOTE ? String(JSON.parse(written.toString('utf8'))) : '';
  const parse = (name: string): unknown => {
    const value = find?.(name);
    return value && JSON.parse(value.toString('utf8'));
  };
  const hints = readCacheHints({ ttlMs: parse('ttlMs'), cacheScope: parse('cacheScope') });
  // An empty cursor would request the first page again.
  return { items, cursor: cursor === '' ? undefined : cursor, hints };
}

/** Returns the bytes of the last member with a name, which is the one that `JSON.parse` keeps. */
function createMemberLookup(object: Buffer): (name: string) => Buffer | undefined {
  const members = scanMembers(object);
  return (name) => {
    const found = members?.findLast(({ key }) => key === name);
    return found && object.subarray(found.start, found.end);
  };
}

const QUOTE = 34;
const OPEN_BRACKET = 91;
