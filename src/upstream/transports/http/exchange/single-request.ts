import { AppError } from '../../../../base/errors.ts';
import { tryParseJson } from '../../../../base/text/is-json.ts';
import { type Frame, frameText } from '../../../../wire/frame.ts';
import { isObject } from '../../../../wire/messages.ts';
import { readBody } from '../response/body.ts';
import { EVENT_STREAM, mediaType } from '../response/media-type.ts';
import { readEvents } from '../response/read-events.ts';
import type { ExchangeFailure, HttpRequest, StartExchange } from './exchange.ts';

/** A short response, read whole; of a stream, its first event. */
export interface HttpReply {
  readonly status: number;
  readonly text: string;
  /** Name of the event, if it has one. */
  readonly event: string | undefined;
}

const MAX_BYTES = 4 * 1024 * 1024;

/** Sends one request of our own. Rejects if the connection fails or the server takes too long. */
export function sendSingleRequest(
  startExchange: StartExchange,
  request: HttpRequest,
  timeoutMs: number,
): Promise<HttpReply> {
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      settle();
      exchange.abort();
    };
    const fail = (error: AppError) => finish(() => reject(error));
    let timer: NodeJS.Timeout | undefined;
    const exchange = startExchange(request, {
      sending() {
        clearTimeout(timer);
        timer = setTimeout(() => fail(new AppError('TIMED_OUT', 'The server did not respond in time.')), timeoutMs);
      },
      signingIn: () => clearTimeout(timer),
      response(response) {
        const { statusCode: status = 0 } = response;
        const answered = (text: string, event?: string) => finish(() => resolve({ status, text, event }));
        if (mediaType(response) !== EVENT_STREAM) {
          return readBody(response, { maxBytes: MAX_BYTES }, (body) => {
            if ('error' in body) fail(body.error);
            else answered(body.frame.length === 0 ? '' : frameText(body.frame));
          });
        }
        const sink = {
          message(frame: Frame) {
            const text = frameText(frame);
            if (!isNotification(text)) answered(text);
          },
          named: (name: string, data: string) => answered(data, name),
        };
        const ended = (_: unknown, error?: AppError) => (error === undefined ? answered('') : fail(error));
        let bytes = 0;
        readEvents(response, sink, { maxBytes: MAX_BYTES }, ended).on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > MAX_BYTES) fail(new AppError('MESSAGE_TOO_LARGE', 'The server sent data without a response.'));
        });
      },
      failed: ({ error }: ExchangeFailure) => fail(error),
    });
  });
}

/** Returns true for a notification, which a server may send before its response. */
function isNotification(text: string): boolean {
  const message = tryParseJson(text);
  return isObject(message) && message['method'] !== undefined && message['id'] === undefined;
}
