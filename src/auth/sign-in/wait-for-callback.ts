import { AppError, isAppError } from '../../base/errors.ts';
import type { PendingAuthorization } from './authorization.ts';
import type { CallbackListener } from './callback-listener.ts';

export interface CallbackSources {
  /** Aborts the sign-in, which then throws the signal's reason. */
  readonly signal: AbortSignal;
  show(url: string): void | Promise<void>;
  /** Resolves with a callback URL that the user pasted, or never. Called again after an invalid one. */
  readonly pasted?: ((signal: AbortSignal) => Promise<string>) | undefined;
  /** Called for an invalid pasted text. */
  readonly reportError?: ((text: string) => void) | undefined;
}

/** Shows the sign-in URL and waits for the callback, received by the listener or pasted, whichever comes first. */
export async function waitForCallback(
  sources: CallbackSources,
  listener: CallbackListener,
  pending: PendingAuthorization,
): Promise<URL> {
  const over = new AbortController();
  const signal = AbortSignal.any([sources.signal, over.signal]);
  // Listen before showing the URL: the browser may respond before `show` returns.
  const received = listener.wait(pending.state);
  try {
    // Read pasted text before showing the URL too, so that early input is not echoed.
    const typed = pasted(sources, pending, signal);
    return await Promise.race([received, aborted(sources.signal), typed, displayUrl(sources, pending)]);
  } finally {
    over.abort();
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () => {
      const { reason } = signal;
      reject(isAppError(reason) ? reason : new AppError('CANCELLED', 'The sign-in was cancelled.', { cause: reason }));
    };
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}

/** Never resolves; rejects if `show` fails. */
async function displayUrl(sources: CallbackSources, { url }: PendingAuthorization): Promise<never> {
  await sources.show(url);
  return never();
}

async function pasted(sources: CallbackSources, pending: PendingAuthorization, signal: AbortSignal): Promise<URL> {
  if (sources.pasted === undefined) return never();
  for (;;) {
    const callback = parsePastedCallback(await sources.pasted(signal), pending);
    if (callback !== undefined) return callback;
    sources.reportError?.(
      "This is not the callback URL of this sign-in. Paste the complete URL from the browser's address bar.",
    );
  }
}

/** Parses a pasted callback. One from another sign-in, or one sent by an attacker, has another `state`. */
export function parsePastedCallback(text: string, { redirectUri, state }: PendingAuthorization): URL | undefined {
  const written = text.trim();
  if (written === '' || !URL.canParse(written, redirectUri)) return undefined;
  const [callback, target] = [new URL(written, redirectUri), new URL(redirectUri)];
  if (callback.host === `localhost:${target.port}`) callback.host = target.host;
  const states = callback.searchParams.getAll('state');
  const isOurs = callback.origin === target.origin && callback.pathname === target.pathname;
  return isOurs && states.length === 1 && states[0] === state ? callback : undefined;
}

function never(): Promise<never> {
  return new Promise(() => {});
}
