import { AppError } from '../../../base/errors.ts';
import { mapLimited } from '../../../base/map-limited.ts';
import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';
import { NO_TOOLS, type TestOptions, type TestReport } from '../../../upstream/entry/test-server.ts';
import type { HealthState, ServerHealth } from '../../health/server-health.ts';
import { withLiveWait } from '../../terminal/live-wait.ts';
import { openProgressLine } from '../../terminal/progress-line.ts';
import type { MalformedEntry, TestSubjects } from './subjects.ts';

export interface TestedServer {
  readonly subject: Pick<ServerEntry, 'id' | 'origin'> & Pick<MalformedEntry, 'isUnnamed'>;
  readonly report: TestReport;
}

interface TestServersOptions {
  run(entry: ServerEntry, onOutput: TestOptions['onOutput']): Promise<TestReport>;
  /** How long one server may take to start, for display. */
  limitMs(entry: ServerEntry): number;
  /** Called for each server in config order, as soon as its report and all earlier ones are complete. */
  show(tested: TestedServer): void;
  readonly hasProgress: boolean;
}

/**
 * Tests several servers in parallel, so that a hanging one delays no other. The timeout of each counts from its own
 * start. On a terminal a line at the bottom shows how many are done, which are pending and for how long; for one
 * server also the last line of its stderr.
 */
export async function testServers(
  { entries, malformed }: TestSubjects,
  { run, show, hasProgress, limitMs }: TestServersOptions,
): Promise<readonly TestedServer[]> {
  const line = openProgressLine(hasProgress && process.stderr.isTTY === true ? 'terminal' : 'none');
  const isOne = entries.length === 1;
  const startedAt = performance.now();
  const tested: (TestedServer | undefined)[] = entries.map(() => undefined);
  let shown = 0;
  const finish = (index: number, report: TestReport, subject: ServerEntry) => {
    tested[index] = { subject, report };
    line.pause();
    for (let next = tested[shown]; next !== undefined; next = tested[++shown]) show(next);
    line.resume();
    if (!isOne) line.update(testProgress(entries, tested));
  };
  const runAlone = (entry: ServerEntry) => {
    let stderrTail: () => readonly string[] = () => [];
    const wait = { subject: entry.id, limitMs: limitMs(entry), stderrTail: () => stderrTail(), line };
    return withLiveWait(wait, () =>
      run(entry, (tail) => {
        stderrTail = tail;
      }),
    );
  };
  const runOne = (entry: ServerEntry) => (isOne ? runAlone(entry) : run(entry, undefined));
  const update = () => line.update(testProgress(entries, tested, performance.now() - startedAt));
  if (!isOne) update();
  const timer = isOne ? undefined : setInterval(update, UPDATE_MS);
  try {
    await mapLimited(entries, MAX_AT_ONCE, async (entry, index) => finish(index, await runOne(entry), entry));
  } finally {
    clearInterval(timer);
    line.close();
  }
  const failed = malformed.map(malformedReport);
  for (const one of failed) show(one);
  return [...tested.flatMap((one) => one ?? []), ...failed];
}

/** Returns the health of all configured servers, with those that were not tested. */
export function healthOf(
  tested: readonly TestedServer[],
  { skipped, disabled }: Pick<TestSubjects, 'skipped' | 'disabled'>,
): readonly ServerHealth[] {
  const notStarted = (state: HealthState, ids: readonly string[]) => ids.map((id) => ({ id, state, tools: 0 }));
  return [
    ...tested.flatMap(({ subject, report: { failed, tools } }): readonly ServerHealth[] =>
      subject.isUnnamed ? [] : [{ id: subject.id, state: failed === undefined ? 'working' : 'failing', tools }],
    ),
    ...notStarted(
      'untrusted',
      skipped.map(({ server }) => server),
    ),
    ...notStarted('disabled', disabled),
  ];
}

/** With many more, starting them would use up each other's time limits. */
const MAX_AT_ONCE = 8;

const UPDATE_MS = 1_000;

function testProgress(entries: readonly ServerEntry[], tested: readonly (TestedServer | undefined)[], elapsedMs = 0) {
  const pending = entries.filter((_, index) => tested[index] === undefined).map(({ id }) => quoteIfNeeded(id));
  const elapsed = elapsedMs < UPDATE_MS ? '' : `${Math.floor(elapsedMs / 1_000)} s: `;
  return {
    progress: entries.length - pending.length,
    total: entries.length,
    message: `${elapsed}${pending.join(', ')}`,
  };
}

/** Returns the failed report of an entry that cannot be used. */
export function malformedReport({ reason, ...subject }: MalformedEntry): TestedServer {
  const error = new AppError('CONFIG_INVALID', reason);
  return {
    subject,
    report: { steps: [], failed: { step: 'config', error }, ...NO_TOOLS, stderrTail: [], strayOutput: undefined },
  };
}
