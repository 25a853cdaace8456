import { isObject, requestText } from '../../../../wire/messages.ts';
import type { StartExchange } from '../exchange/exchange.ts';
import { sendSingleRequest } from '../exchange/single-request.ts';
import type { KnownTools } from './known-tools.ts';
import { methodHeaders } from './request-headers.ts';

export interface ListToolsOptions {
  readonly startExchange: StartExchange;
  readonly meta: () => Readonly<Record<string, unknown>>;
  readonly tools: KnownTools;
}

const METHOD = 'tools/list';
const MAX_PAGES = 100;
const PAGE_MS = 30_000;

/** Reads the tool list for our own use, to learn which headers tool calls need. */
export async function listTools({ startExchange, meta, tools }: ListToolsOptions): Promise<void> {
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = { ...(cursor === undefined ? {} : { cursor }), _meta: meta() };
    const body = requestText(`tools-${page}`, METHOD, params);
    const { text } = await sendSingleRequest(
      startExchange,
      { method: 'POST', headers: methodHeaders(METHOD), body, isSafeToResend: true },
      PAGE_MS,
    );
    tools.listed([Buffer.from(text)]);
    cursor = nextCursor(text);
    if (cursor === undefined) return;
  }
}

function nextCursor(text: string): string | undefined {
  const message: unknown = JSON.parse(text);
  const result = isObject(message) ? message['result'] : undefined;
  const cursor = isObject(result) ? result['nextCursor'] : undefined;
  return typeof cursor === 'string' && cursor !== '' ? cursor : undefined;
}
