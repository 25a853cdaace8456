import { oneLine } from '../../base/text/safe-text.ts';
import { quoteIfNeeded } from '../../base/text/visible-text.ts';
import type { ProgressLine } from './progress-line.ts';

export interface LiveWaitOptions {
  /** What the person waits for: the name of a server or of a tool. */
  readonly subject: string;
  readonly limitMs: number;
  /** Returns the last stderr lines of the server, as known now. */
  readonly stderrTail: () => readonly string[];
  /** Undefined shows nothing. */
  readonly line: Pick<ProgressLine, 'update' | 'close'> | undefined;
  /** True from the moment that something else uses the line. */
  readonly isOver?: () => boolean;
}

/** After one second, shows how long `run` has taken, its limit, and the last stderr line of the server. */
export async function withLiveWait<Result>(options: LiveWaitOptions, run: () => Promise<Result>): Promise<Result> {
  const { line, isOver = () => false } = options;
  if (line === undefined) return run();
  const startedAt = performance.now();
  let isShown = false;
  const timer = setInterval(() => {
    if (isOver()) return;
    isShown = true;
    line.update({ message: waitText(options, performance.now() - startedAt) });
  }, UPDATE_MS);
  try {
    return await run();
  } finally {
    clearInterval(timer);
    if (isShown && !isOver()) line.close();
  }
}

/** Formats `Waiting for slow, 12 s of 60 s (see --timeout): <last stderr line>`. */
function waitText({ subject, limitMs, stderrTail }: LiveWaitOptions, elapsedMs: number): string {
  const last = lastLine(stderrTail());
  const time = `${Math.floor(elapsedMs / 1_000)} s of ${Math.ceil(limitMs / 1_000)} s (see --timeout)`;
  return `Waiting for ${quoteIfNeeded(subject)}, ${time}${last === undefined ? ' …' : `: ${last}`}`;
}

/** Returns the last line that is not empty, safe to display. Undefined if there is none. */
export function lastLine(lines: readonly string[]): string | undefined {
  const last = lines.findLast((line) => line.trim() !== '');
  return last === undefined ? undefined : oneLine(last, MAX_LINE);
}

const MAX_LINE = 300;
/** Also the time before the first update. */
const UPDATE_MS = 1_000;
