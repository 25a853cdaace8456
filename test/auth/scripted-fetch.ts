import type { GuardedFetch } from '../../src/net/guarded-fetch.ts';
import { checkUrl } from '../../src/net/url-policy.ts';

/** An answer: JSON with 200, or a status, a text and perhaps a type. */
export type Page = object | Written;
type Written = readonly [status: number, body: string, type?: string];

/**
 * The internet as a configured URL sees it, for addresses that no test can own: checks addresses as the real one does,
 * answers what is written here and 404 for everything else, and records each request that went out.
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
