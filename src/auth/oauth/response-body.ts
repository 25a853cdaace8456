import { AppError } from '../../base/errors.ts';
import { isObject, type JsonObject } from '../../wire/messages.ts';

/** Parses the body of a response; undefined unless it is a JSON object. Many servers answer with a page for people. */
export function parseJsonObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    // Not JSON.
    return undefined;
  }
}

/** Throws if an authorization server is overloaded or broken, which says nothing about the request. */
export function throwIfBusy(status: number, url: string): void {
  if (status < 500 && status !== 429) return;
  throw new AppError('CONNECTION_CLOSED', `${new URL(url).host} returned HTTP status ${status}: try again later.`, {
    data: { status },
  });
}
