import { AppError } from '../base/errors.ts';
import { LIST_METHODS, type ListKind } from '../upstream/listing.ts';
import { isObject } from '../wire/messages.ts';
import type { ConnectedServer } from './connect.ts';

const MAX_PAGES = 1000;

/** Every page of a list, each an array as the server wrote it. Follows the cursors to the end. */
export async function listAll(
  server: Pick<ConnectedServer, 'request'>,
  kind: ListKind,
): Promise<readonly (readonly unknown[])[]> {
  const pages: (readonly unknown[])[] = [];
  const seen = new Set<string>();
  for (let cursor: string | undefined; ; ) {
    const result = await server.request(LIST_METHODS[kind], cursor === undefined ? {} : { cursor });
    const page = isObject(result) ? result[kind] : undefined;
    if (!isObject(result) || !Array.isArray(page))
      throw new AppError('BAD_ANSWER', `${LIST_METHODS[kind]} was answered without a list of ${kind}.`);
    pages.push(page);
    const next = result['nextCursor'];
    if (typeof next !== 'string' || next === '') return pages;
    if (seen.has(next) || pages.length >= MAX_PAGES)
      throw new AppError('BAD_ANSWER', `${LIST_METHODS[kind]} comes to no end: its cursor leads in a circle.`);
    seen.add(next);
    cursor = next;
  }
}
