import type { ChaosClient } from './chaos-client.ts';
import type { Counter } from './counter.ts';
import type { MemoryWatch } from './memory.ts';
import type { ResponseChecker } from './response-checker.ts';

export interface ChaosReport {
  readonly calls: number;
  readonly seed: number;
  readonly callsPerEvent: number;
  readonly ms: number;
  /** What happened to the servers. */
  readonly injected: Counter;
  /** How calls ended for their clients. */
  readonly ended: Counter;
  readonly checker: ResponseChecker;
  readonly memory: MemoryWatch;
  readonly callers: readonly ChaosClient[];
}

/** Formats the report of a run, one fact per line. */
export function formatChaosReport(report: ChaosReport): string {
  const { calls, seed, callsPerEvent, ms, injected, ended, checker, memory, callers } = report;
  const { rss, live } = memory;
  const seconds = ms / 1_000;
  const sum = (of: (caller: ChaosClient) => number) => callers.reduce((total, caller) => total + of(caller), 0);
  return [
    `Chaos: ${ended.total()} calls in ${seconds.toFixed(1)} s, ${Math.round(ended.total() / seconds)} calls/s`,
    `to repeat: npm run chaos -- --calls ${calls} --every ${callsPerEvent} --seed ${seed}`,
    row('ended', ended),
    row('faults', injected),
    row('results', checker.results),
    row('errors', checker.errors),
    `besides: ${sum(({ lists }) => lists)} lists, ${sum(({ progress }) => progress)} progress, ${sum(({ notifications }) => notifications)} notifications`,
    `memory: rss ${mib(rss.before)} before, ${mib(rss.most)} at most, ${mib(rss.after)} after; live ${mib(live.before)} before, ${mib(live.after)} after`,
    ...checker.violations.map((what) => `VIOLATION: ${what}`),
  ].join('\n');
}

/** Formats the progress. */
export function progressLine({ calls, ms, ended, injected, checker }: ChaosReport): string {
  const done = ended.total();
  const rate = Math.round(done / (ms / 1_000));
  const rssMib = mib(process.memoryUsage.rss() / 1024 / 1024);
  const faults = `${injected.total()} faults, ${checker.errors.total()} errors, ${checker.violations.length} violations`;
  return `${Math.round(ms / 1_000)} s: ${done} of ${calls} calls, ${rate} calls/s, ${faults}, rss ${rssMib}`;
}

function row(title: string, counter: Counter): string {
  const parts = counter.rows().map(([kind, count]) => `${kind} ${count}`);
  return `${title} (${counter.total()}): ${parts.join(', ')}`;
}

function mib(value: number): string {
  return `${value.toFixed(0)} MiB`;
}
