import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProcessTracker } from '../processes.ts';
import { Caller, type CallerOptions } from './caller.ts';
import { chooseCall } from './choose-call.ts';
import { createFaults } from './faults.ts';
import { readJournal } from './journal.ts';
import { createJudge, type SentCall } from './judge.ts';
import { watchMemory } from './memory.ts';
import { learnCatalogs, openChaosGateway } from './open-gateway.ts';
import { createPlan } from './plan.ts';
import { createRandom } from './random.ts';
import { expectAllBack } from './recovery.ts';
import type { StormReport } from './report.ts';
import { CALL_TIMEOUT_MS, createServers, SERVER_IDS } from './servers.ts';
import { createTally } from './tally.ts';

export interface StormOptions {
  readonly calls: number;
  /** The same seed chooses the same calls and the same events. */
  readonly seed: number;
  /** The number of calls per event. */
  readonly callsPerEvent: number;
  /** The program that all servers run. */
  readonly program?: string | undefined;
  /** Called from time to time. */
  readonly onProgress?: ((report: StormReport) => void) | undefined;
}

/** Maximum pending calls of one client, in total and per server. */
const AT_ONCE = 32;
const AT_ONE_SERVER = 6;
/** Calls of a short-lived client. */
const AT_VISIT = 5;
/** A call may wait for its server to list its tools, then for its turn, and then for its answer. */
const LOST_AFTER_MS = 4 * CALL_TIMEOUT_MS;
const LOOK_EVERY_MS = 1_000;
const GONE_WITHIN_MS = 20_000;

/** Two clients call eight servers while faults are injected. Every broken rule is a violation. */
export async function runStorm(options: StormOptions): Promise<StormReport> {
  const { calls, seed, callsPerEvent, program, onProgress = () => {} } = options;
  const now = () => performance.now();
  const startedAt = now();
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-chaos-'));
  const processes = createProcessTracker();
  const servers = createServers(folder, program);
  await learnCatalogs(servers, { folder, env: processes.env() });
  const gateway = openChaosGateway(servers, { folder, env: processes.env() });
  const judge = createJudge(now);
  const injected = createTally();
  const ended = createTally();
  const memory = watchMemory();
  const nextEvent = createPlan(SERVER_IDS, createRandom(seed));
  const parts: Omit<CallerOptions, 'clientName'> = { gateway, judge, servers, now };
  // The second client gets errors as results, like Codex. Both start their ids at 1.
  const callers = ['ann', 'codex'].map((name) => new Caller(name, { ...parts, clientName: name }));
  let next = 0;

  const report = (): StormReport => ({ ...options, ms: now() - startedAt, injected, ended, judge, memory, callers });

  const visit = async (ms: number): Promise<void> => {
    const visitor = new Caller('visitor', { ...parts, clientName: 'visitor' });
    setTimeout(() => visitor.leave(), ms);
    await visitor.hello();
    for (let call = 0; call < AT_VISIT; call++) void one(visitor);
  };

  const random = createRandom(seed + 1);
  const faults = createFaults({ ...parts, gateway, processes, random, injected, visit: (ms) => void visit(ms) });

  const one = async (caller: Caller): Promise<void> => {
    const n = next++;
    const event = n > 0 && n % callsPerEvent === 0 ? nextEvent() : undefined;
    if (event !== undefined) faults.happen(event);
    const choice = chooseCall({ n, seed, caller, servers, event, maxAtServer: AT_ONE_SERVER });
    const call: SentCall = { ...choice.call, sentAt: now(), version: servers.version(choice.call.server) };
    const done = faults.carried(call, choice.details.ms ?? 0);
    const ending = await caller.call(call, choice.details);
    ended.add(ending);
    done(ending);
  };

  const work = async (caller: Caller): Promise<void> => {
    while (next < calls) await one(caller);
  };

  const watch = setInterval(() => {
    for (const caller of callers) caller.giveUp(LOST_AFTER_MS);
    memory.look();
    onProgress(report());
  }, LOOK_EVERY_MS);
  try {
    for (const caller of callers) await caller.hello();
    await Promise.all(callers.flatMap((caller) => Array.from({ length: AT_ONCE }, () => work(caller))));
    faults.calm();
    await expectAllBack({ callers, judge, now, version: servers.version }, () => next++);
    judge.sumUp(callers.length * AT_ONE_SERVER);
  } finally {
    clearInterval(watch);
    faults.close();
    await gateway.close();
    await processes.assertAllGone({ withinMs: GONE_WITHIN_MS }).catch((error: Error) => judge.violation(error.message));
    for (const what of readJournal(folder)) judge.violation(what);
    rmSync(folder, { recursive: true, force: true });
    memory.end();
  }
  return report();
}
