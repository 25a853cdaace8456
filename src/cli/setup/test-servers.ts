import { mapLimited } from '../../base/map-limited.ts';
import { quoteIfNeeded } from '../../base/text/visible-text.ts';
import type { ServerEntry } from '../../config/server-entry.ts';
import type { TestReport } from '../../upstream/entry/test-server.ts';
import { testAndCache } from '../mcp/test/test-and-cache.ts';
import { openProgressLine } from '../terminal/progress-line.ts';
import type { SetupRun } from './setup-run.ts';

export interface SetupTest {
  readonly entry: ServerEntry;
  readonly report: TestReport;
}

/**
 * Tests servers in parallel. Shows each outcome as soon as it is known, above a line with the servers that are still
 * pending.
 */
export async function testServersLive(
  entries: readonly ServerEntry[],
  run: SetupRun,
  show: (test: SetupTest) => void,
): Promise<readonly SetupTest[]> {
  const pending = new Set(entries);
  const line = openProgressLine(run.isInteractive ? 'terminal' : 'none');
  const update = () => {
    const message = [...pending].map(({ id }) => quoteIfNeeded(id)).join(', ');
    line.update({ progress: entries.length - pending.size, total: entries.length, message });
  };
  update();
  try {
    return await mapLimited(entries, MAX_AT_ONCE, async (entry) => {
      const report = await testOne(entry, run);
      pending.delete(entry);
      line.pause();
      if (!run.signal.aborted) show({ entry, report });
      // While the line is paused: it limits how often it redraws, but resuming always shows the latest state.
      update();
      line.resume();
      return { entry, report };
    });
  } finally {
    line.close();
  }
}

/** Tests one server. Never throws for the server's faults. */
export function testOne(entry: ServerEntry, { context, signal }: SetupRun): Promise<TestReport> {
  const startupTimeoutMs = Math.min(entry.startupTimeoutMs ?? MAX_START_MS, MAX_START_MS);
  return testAndCache(entry, { profile: 'codex', startupTimeoutMs, signal, context });
}

/** With many more, starting them would use up each other's time limits. */
const MAX_AT_ONCE = 8;
/** A package runner may have to download the server first. */
const MAX_START_MS = 30_000;
