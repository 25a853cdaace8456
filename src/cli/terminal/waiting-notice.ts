import { quoteIfNeeded } from '../../base/text/visible-text.ts';

/** Says whom everybody waits for, once, when it takes long. `late`: those who have not answered by then. */
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

/** After so long a person wants to know what is going on. */
const NOTICE_AFTER_MS = 2_000;
