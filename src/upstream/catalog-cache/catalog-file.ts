import { sha256 } from '../../base/digest.ts';
import { tryParseJson } from '../../base/text/is-json.ts';
import { isObject } from '../../wire/messages.ts';
import { LIST_KINDS, type ListKind } from '../catalog/listing.ts';
import type { StoredCatalog } from './catalog-cache.ts';

/**
 * Owner of a catalog, stored in the header of its file.
 *
 * The file consists of a line with the magic name, the version and the sha256 of everything after it; a line of JSON
 * with the owner and the length of each part; then the raw parts. One read returns all parts. The pages need no second
 * syntax check, because their JSON was checked when the server sent them.
 */
export interface CatalogId {
  readonly serverId: string;
  readonly key: string;
}

export function encodeCatalog(
  { serverId, key }: CatalogId,
  { initializeResult, lists, asksClients }: StoredCatalog,
): readonly Buffer[] {
  const initializeResultBytes = Buffer.from(initializeResult);
  const kinds = LIST_KINDS.filter((kind) => lists[kind] !== undefined);
  const lengths = kinds.map((kind) => [kind, pagesOf(lists, kind).map((page) => page.length)] as const);
  const asks = asksClients === true ? { asksClients } : {};
  const facts = initializeResultBytes.length;
  const header = { server: serverId, key, facts, lists: Object.fromEntries(lengths), ...asks };
  const parts = [initializeResultBytes, ...kinds.flatMap((kind) => pagesOf(lists, kind))];
  const rest = [Buffer.from(`${JSON.stringify(header)}\n`), ...parts];
  return [Buffer.from(firstLine(sha256(...rest))), ...rest];
}

/** Returns undefined unless the bytes are exactly what `encodeCatalog` wrote for this owner. Never throws. */
export function decodeCatalog({ serverId, key }: CatalogId, bytes: Buffer): StoredCatalog | undefined {
  const rest = bytes.subarray(FIRST_LINE_BYTES);
  const isOurs = bytes.toString('latin1', 0, FIRST_LINE_BYTES) === firstLine(sha256(rest));
  const headerEnd = isOurs ? rest.indexOf(LINE_FEED) : -1;
  if (headerEnd === -1) return undefined;
  const header = readHeader(rest.toString('utf8', 0, headerEnd));
  if (header === undefined || header.serverId !== serverId || header.key !== key) return undefined;

  let at = headerEnd + 1;
  const take = (length: number) => {
    const start = at;
    at += length;
    return rest.subarray(start, at);
  };
  const initializeResult = take(header.initializeResultLength).toString('utf8');
  const lists = header.lists.map(([kind, lengths]) => [kind, lengths.map(take)] as const);
  const isWhole = at === rest.length && lists.every(([, pages]) => pages.every(isArray));
  if (!isWhole) return undefined;
  const asks = header.asksClients ? { asksClients: true } : {};
  return { initializeResult, lists: Object.fromEntries(lists), ...asks };
}

function pagesOf(lists: StoredCatalog['lists'], kind: ListKind): readonly Buffer[] {
  return lists[kind] ?? [];
}

function firstLine(checksum: string): string {
  return `${MAGIC} ${VERSION} ${checksum}\n`;
}

const MAGIC = 'switchboard-catalog';
/**
 * Version of the file format and its contents. Increment it when pages or the `initialize` result are stored
 * differently.
 */
const VERSION = 1;
const FIRST_LINE_BYTES = `${MAGIC} ${VERSION} \n`.length + 64;
const LINE_FEED = 10;

interface Header extends CatalogId {
  readonly initializeResultLength: number;
  readonly lists: readonly (readonly [ListKind, readonly number[]])[];
  readonly asksClients: boolean;
}

function readHeader(line: string): Header | undefined {
  const header = tryParseJson(line);
  if (!isObject(header)) return undefined;
  const { server: serverId, key, facts: initializeResultLength, lists } = header;
  if (typeof serverId !== 'string' || typeof key !== 'string') return undefined;
  if (!isLength(initializeResultLength) || !isObject(lists)) return undefined;
  const found = LIST_KINDS.filter((kind) => Object.hasOwn(lists, kind)).map((kind) => [kind, lists[kind]] as const);
  const asksClients = header['asksClients'] === true;
  return found.every(hasLengths) ? { serverId, key, initializeResultLength, lists: found, asksClients } : undefined;
}

function hasLengths(entry: readonly [ListKind, unknown]): entry is readonly [ListKind, readonly number[]] {
  return Array.isArray(entry[1]) && entry[1].every(isLength);
}

function isLength(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isArray(page: Buffer): boolean {
  return page[0] === OPEN_BRACKET && page.at(-1) === CLOSE_BRACKET;
}

const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
