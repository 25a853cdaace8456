import { quoteIfNeeded } from '../../base/text/visible-text.ts';

/** Names the pending servers once, if `run` takes long. `pending` returns those that have not responded yet. */
export async function withWaitingNotice<Result>(
  pending: () => readonly string[],
  notify: ((text: string) => void) | undefined,
  run: () => Promise<Result>,
): Promise<Result> {
  const notice = setTimeout(
    () => notify?.(`Waiting for ${pending().map(quoteIfNeeded).join(', ')} …`),
    NOTICE_AFTER_MS,
  );
  try {
    return await run();
  } finally {
    clearTimeout(notice);
  }
}

/** After this time a person wants to know what is happening. */
const NOTICE_AFTER_MS = 1_000;
