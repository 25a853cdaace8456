import type { GuardedFetch } from '../../src/net/guarded-fetch.ts';
import { checkUrl } from '../../src/net/url-policy.ts';

/** A response: JSON with status 200, or a status, a body and optionally a content type. */
export type Page = object | Written;
type Written = readonly [status: number, body: string, type?: string];

/**
 * A fake `fetch` for addresses that tests cannot use. Checks addresses like the real one,
 * returns the given responses or 404, and records each request.
 */
export function scriptedFetch(
  configuredUrl: string,
  pages: Readonly<Record<string, Page>>,
): { readonly fetch: GuardedFetch; readonly sent: string[]; readonly bodies: string[] } {
  const sent: string[] = [];
  const bodies: string[] = [];
  const fetch: GuardedFetch = async (url, init) => {
    const { href } = checkUrl(url, configuredUrl);
    sent.push(`${init?.method ?? 'GET'} ${href}`);
    if (init?.body !== undefined) bodies.push(init.body);
    const page = pages[href];
    if (page === undefined) return new Response('<h1>Not found</h1>', { status: 404 });
    if (!isWritten(page)) return Response.json(page);
    const [status, body, type = 'text/html'] = page;
    return new Response(body, { status, headers: { 'content-type': type } });
  };
  return { fetch, sent, bodies };
}

function isWritten(page: Page): page is Written {
  return Array.isArray(page);
}
