import type { ListenReceiver, ListenRequest, ListenStream } from '../../modern/carrier.ts';
import type { StartExchange } from '../exchange/exchange.ts';
import { EVENT_STREAM, mediaType } from '../response/media-type.ts';
import type { ReadEvents } from '../response/open-responses.ts';
import { methodHeaders } from './request-headers.ts';

export interface ListenStreamOptions {
  readonly startExchange: StartExchange;
  readonly read: ReadEvents;
}

/** Opens the response to `subscriptions/listen`, a stream of its own. */
export function openListenStream(
  { startExchange, read }: ListenStreamOptions,
  { method, text }: ListenRequest,
  { frame, ended }: ListenReceiver,
): ListenStream {
  const exchange = startExchange(
    { method: 'POST', body: text, headers: methodHeaders(method) },
    {
      response(response) {
        const isStream = mediaType(response) === EVENT_STREAM;
        if (response.statusCode === 200 && isStream) return read(response, frame, ended);
        response.resume();
        // Below 500, the server does not support the request.
        if ((response.statusCode ?? 0) >= 500) ended();
      },
      failed: ended,
    },
  );
  return { close: () => exchange.abort() };
}
