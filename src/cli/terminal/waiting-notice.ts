import { visibleWord } from '../../base/text/visible-text.ts';

/** Says whom everybody waits for, once, when it takes long. `late`: those who have not answered by then. */
export async function tellWaiting<Result>(
  late: () => readonly string[],
  tell: ((text: string) => void) | undefined,
  run: () => Promise<Result>,
): Promise<Result> {
  const notice = setTimeout(() => tell?.(`Waiting for ${late().map(visibleWord).join(', ')} …`), PATIENCE_MS);
  try {
    return await run();
  } finally {
    clearTimeout(notice);
  }
}

/** After so long a person wants to know what is going on. */
const PATIENCE_MS = 2_000;
