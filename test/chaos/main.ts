import { runChaosTest } from './chaos-run.ts';
import { type ChaosReport, formatChaosReport, progressLine } from './report.ts';

export interface ChaosRun {
  readonly calls: number;
  readonly seed: number;
  /** The number of calls per event. */
  readonly callsPerEvent: number;
  readonly program: string;
  readonly write: (line: string) => void;
}

const REPORT_INTERVAL_MS = 10_000;
const MAX_GROWTH_MIB = 64;

/** Runs the same test for longer. Returns true if there are no violations. */
export async function runChaos({ calls, seed, callsPerEvent, program, write }: ChaosRun): Promise<boolean> {
  write(`${calls} calls, an event for each ${callsPerEvent}, seed ${seed}`);
  let nextAt = REPORT_INTERVAL_MS;
  const onProgress = (report: ChaosReport) => {
    if (report.ms < nextAt) return;
    nextAt += REPORT_INTERVAL_MS;
    write(progressLine(report));
  };
  const report = await runChaosTest({ calls, seed, callsPerEvent, program, onProgress });
  const { live } = report.memory;
  if (live.after - live.before > MAX_GROWTH_MIB) report.checker.violation('live memory has grown');
  write(formatChaosReport(report));
  return report.checker.violations.length === 0;
}
