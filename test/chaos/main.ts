import { describeStorm, progressLine, type StormReport } from './report.ts';
import { runStorm } from './storm.ts';

export interface ChaosRun {
  readonly calls: number;
  readonly seed: number;
  /** The number of calls per event. */
  readonly callsPerEvent: number;
  readonly program: string;
  readonly write: (line: string) => void;
}

const SAY_EVERY_MS = 10_000;
const MAX_GROWTH_MIB = 64;

/** Runs the same test for longer. Returns true if there are no violations. */
export async function runChaos({ calls, seed, callsPerEvent, program, write }: ChaosRun): Promise<boolean> {
  write(`${calls} calls, an event for each ${callsPerEvent}, seed ${seed}`);
  let nextAt = SAY_EVERY_MS;
  const onProgress = (report: StormReport) => {
    if (report.ms < nextAt) return;
    nextAt += SAY_EVERY_MS;
    write(progressLine(report));
  };
  const report = await runStorm({ calls, seed, callsPerEvent, program, onProgress });
  const { live } = report.memory;
  if (live.after - live.before > MAX_GROWTH_MIB) report.judge.violation('live memory has grown');
  write(describeStorm(report));
  return report.judge.violations.length === 0;
}
