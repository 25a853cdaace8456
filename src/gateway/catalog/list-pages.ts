import { AppError } from '../../base/errors.ts';

/** The maximum length of a page. It is large because old clients read only the first page. */
export const MAX_PAGE_LENGTH = 8 * 1024 * 1024;

/**
 * A list as sent to clients, split into pages. Each cursor is bound to this version of the list. Several views may list
 * the same items, so the text of a page is kept only as long as memory allows.
 */
export class ListPages {
  readonly #kind: string;
  readonly #version: number;
  readonly #pages: readonly Page[];

  constructor(kind: string, version: number, items: readonly string[], maxLength = MAX_PAGE_LENGTH) {
    this.#kind = kind;
    this.#version = version;
    this.#pages = paginate(items, maxLength);
  }

  get count(): number {
    return this.#pages.length;
  }

  /** Returns the result of a list request, as JSON. */
  page(cursor: unknown): string {
    const index = cursor === undefined ? 0 : this.#indexOf(cursor);
    const next = index + 1 < this.#pages.length ? `,"nextCursor":"${this.#cursor(index + 1)}"` : '';
    const page = this.#pages[index];
    return `{"${this.#kind}":[${page === undefined ? '' : textOf(page)}]${next}}`;
  }

  /** Returns whether the cursor points to a page of this version. */
  hasIssued(cursor: unknown): boolean {
    return this.#pages.some((_, index) => index > 0 && this.#cursor(index) === cursor);
  }

  hasSameItems(other: ListPages): boolean {
    const pages = other.#pages;
    return pages.length === this.#pages.length && this.#pages.every((page, index) => isSamePage(page, pages[index]));
  }

  #cursor(index: number): string {
    return Buffer.from(`${this.#kind} ${this.#version} ${index}`).toString('base64url');
  }

  #indexOf(cursor: unknown): number {
    const [kind, version, index] = Buffer.from(String(cursor), 'base64url').toString().split(' ');
    const isOurs = kind === this.#kind && /^\d+$/.test(version ?? '') && /^\d+$/.test(index ?? '');
    if (!isOurs) throw new AppError('INVALID_PARAMS', 'params.cursor was not returned by this list.');
    if (Number(version) !== this.#version || Number(index) >= this.#pages.length) {
      throw new AppError('INVALID_PARAMS', 'The list has changed since this cursor was returned: list from the start.');
    }
    return Number(index);
  }
}

interface Page {
  readonly items: readonly string[];
  text: WeakRef<{ readonly text: string }> | undefined;
}

function textOf(page: Page): string {
  const known = page.text?.deref();
  if (known !== undefined) return known.text;
  const text = page.items.join(',');
  page.text = new WeakRef({ text });
  return text;
}

function isSamePage({ items }: Page, other: Page | undefined): boolean {
  return items.length === other?.items.length && items.every((item, index) => item === other.items[index]);
}

/** Splits the items into pages. An item larger than a page gets its own page. */
function paginate(items: readonly string[], maxLength: number): readonly Page[] {
  const pages: Page[] = [];
  let page: string[] = [];
  let length = 0;
  for (const item of items) {
    if (length + item.length > maxLength && page.length > 0) {
      pages.push({ items: page, text: undefined });
      page = [];
      length = 0;
    }
    page.push(item);
    length += item.length + 1;
  }
  if (page.length > 0) pages.push({ items: page, text: undefined });
  return pages;
}
