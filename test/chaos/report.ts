import type { Caller } from './caller.ts';
import type { Judge } from './judge.ts';
import type { MemoryWatch } from './memory.ts';
import type { Tally } from './tally.ts';

export interface StormReport {
  readonly calls: number;
  readonly seed: number;
  readonly callsPerEvent: number;
  readonly ms: number;
  /** What happened to the servers. */
  readonly injected: Tally;
  /** How calls ended for their clients. */
  readonly ended: Tally;
  readonly judge: Judge;
  readonly memory: MemoryWatch;
  readonly callers: readonly Caller[];
}

/** Formats the report of a run, one fact per line. */
export function describeStorm(report: StormReport): string {
  const { calls, seed, callsPerEvent, ms, injected, ended, judge, memory, callers } = report;
  const { rss, live } = memory;
  const seconds = ms / 1_000;
  const sum = (of: (caller: Caller) => number) => callers.reduce((total, caller) => total + of(caller), 0);
  return [
    `Chaos: ${ended.total()} calls in ${seconds.toFixed(1)} s, ${Math.round(ended.total() / seconds)} calls/s`,
    `to repeat: npm run chaos -- --calls ${calls} --every ${callsPerEvent} --seed ${seed}`,
    row('ended', ended),
    row('faults', injected),
    row('results', judge.results),
    row('errors', judge.errors),
    `besides: ${sum(({ lists }) => lists)} lists, ${sum(({ progress }) => progress)} progress, ${sum(({ notifications }) => notifications)} notifications`,
    `memory: rss ${mib(rss.before)} before, ${mib(rss.most)} at most, ${mib(rss.after)} after; live ${mib(live.before)} before, ${mib(live.after)} after`,
    ...judge.violations.map((what) => `VIOLATION: ${what}`),
  ].join('\n');
}

/** Formats the progress. */
export function progressLine({ calls, ms, ended, injected, judge }: StormReport): string {
  const done = ended.total();
  const rate = Math.round(done / (ms / 1_000));
  const rssMib = mib(process.memoryUsage.rss() / 1024 / 1024);
  const faults = `${injected.total()} faults, ${judge.errors.total()} errors, ${judge.violations.length} violations`;
  return `${Math.round(ms / 1_000)} s: ${done} of ${calls} calls, ${rate} calls/s, ${faults}, rss ${rssMib}`;
}

function row(title: string, tally: Tally): string {
  const parts = tally.rows().map(([kind, count]) => `${kind} ${count}`);
  return `${title} (${tally.total()}): ${parts.join(', ')}`;
}

function mib(value: number): string {
  return `${value.toFixed(0)} MiB`;
}
