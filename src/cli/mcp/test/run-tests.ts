import { AppError } from '../../../base/errors.ts';
import { mapLimited } from '../../../base/map-limited.ts';
import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';
import type { TestReport } from '../../../upstream/entry/test-server.ts';
import { openProgressLine } from '../../terminal/progress-line.ts';
import type { MalformedEntry, TestSubjects } from './subjects.ts';

export interface TestedServer {
  readonly subject: Pick<ServerEntry, 'id' | 'origin'>;
  readonly report: TestReport;
}

interface TestServersOptions {
  run(entry: ServerEntry): Promise<TestReport>;
  /** Called for each server in config order, as soon as its report and all earlier ones are complete. */
  show(tested: TestedServer): void;
  readonly hasProgress: boolean;
}

/**
 * Tests several servers in parallel, so that a hanging one delays no other. The timeout of each counts from its own
 * start. On a terminal a line at the bottom shows how many are done and which are pending.
 */
export async function testServers(
  { entries, malformed }: TestSubjects,
  { run, show, hasProgress }: TestServersOptions,
): Promise<readonly TestedServer[]> {
  const isShown = hasProgress && entries.length > 1 && process.stderr.isTTY === true;
  const line = openProgressLine(isShown ? 'terminal' : 'none');
  const tested: (TestedServer | undefined)[] = entries.map(() => undefined);
  let shown = 0;
  const finish = (index: number, report: TestReport, subject: ServerEntry) => {
    tested[index] = { subject, report };
    line.pause();
    for (let next = tested[shown]; next !== undefined; next = tested[++shown]) show(next);
    line.resume();
    line.update(testProgress(entries, tested));
  };
  line.update(testProgress(entries, tested));
  try {
    await mapLimited(entries, MAX_AT_ONCE, async (entry, index) => finish(index, await run(entry), entry));
  } finally {
    line.close();
  }
  const failed = malformed.map(malformedReport);
  for (const one of failed) show(one);
  return [...tested.flatMap((one) => one ?? []), ...failed];
}

/** With many more, starting them would use up each other's time limits. */
const MAX_AT_ONCE = 8;

function testProgress(entries: readonly ServerEntry[], tested: readonly (TestedServer | undefined)[]) {
  const pending = entries.filter((_, index) => tested[index] === undefined).map(({ id }) => quoteIfNeeded(id));
  return { progress: entries.length - pending.length, total: entries.length, message: pending.join(', ') };
}

function malformedReport({ reason, ...subject }: MalformedEntry): TestedServer {
  const error = new AppError('CONFIG_INVALID', reason);
  return {
    subject,
    report: { steps: [], failed: { step: 'config', error }, unusable: [], stderrTail: [], strayOutput: undefined },
  };
}
