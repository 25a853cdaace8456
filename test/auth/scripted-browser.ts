/** A minimal browser for the pages of oidc-provider: cookies, redirects and forms. */
interface Walk {
  readonly issuer: string;
  readonly headers: Readonly<Record<string, string>>;
}

const MAX_STEPS = 20;

/** Follows redirects until one leaves the authorization server. Returns the text of the last page if none does. */
export async function followToCallback(start: URL, walk: Walk): Promise<URL | string> {
  const page = await follow({ url: start, method: 'GET', body: undefined }, walk, new Map());
  return page.end ?? page.text;
}

/** Opens `verification_uri_complete` and submits each form until there are no more. */
export async function approveOnPages(start: URL, walk: Walk): Promise<void> {
  const cookies = new Map<string, string>();
  let page = await follow({ url: start, method: 'GET', body: undefined }, walk, cookies);
  for (let step = 0; step < MAX_STEPS; step++) {
    const form = /<form[^>]*action="([^"]+)"/.exec(page.text)?.[1];
    if (form === undefined) {
      if (page.status !== 200) throw new Error(`the device was not approved: ${page.status} ${page.text}`);
      return;
    }
    const fields = [...page.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
    const body = new URLSearchParams();
    for (const [, name = '', value = ''] of fields) body.append(name, value);
    page = await follow({ url: new URL(form, walk.issuer), method: 'POST', body }, walk, cookies);
  }
  throw new Error('the pages of the device flow do not end');
}

interface Visit {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly body: URLSearchParams | undefined;
}

interface Page {
  readonly status: number;
  readonly text: string;
  readonly end: URL | undefined;
}

async function follow(first: Visit, walk: Walk, cookies: Map<string, string>): Promise<Page> {
  let visit = first;
  for (let step = 0; step < MAX_STEPS; step++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(visit.url, {
      method: visit.method,
      redirect: 'manual',
      headers: { ...walk.headers, cookie },
      ...(visit.body === undefined ? {} : { body: visit.body }),
    });
    keepCookies(response, cookies);
    const location = response.headers.get('location');
    const text = await response.text();
    if (location === null) return { status: response.status, text, end: undefined };
    const next = new URL(location, visit.url);
    if (next.origin !== walk.issuer) return { status: response.status, text, end: next };
    visit = { url: next, method: 'GET', body: undefined };
  }
  throw new Error('the redirects of the authorization server do not end');
}

function keepCookies(response: Response, cookies: Map<string, string>): void {
  for (const line of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (value === '') cookies.delete(name);
    else cookies.set(name, value);
  }
}
