import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProcessTracker } from '../processes.ts';
import { ChaosClient, type ChaosClientOptions } from './chaos-client.ts';
import { chooseCall } from './choose-call.ts';
import { createCounter } from './counter.ts';
import { createFaults } from './faults.ts';
import { readJournal } from './journal.ts';
import { watchMemory } from './memory.ts';
import { cacheCatalogs, openChaosGateway } from './open-gateway.ts';
import { createPlan } from './plan.ts';
import { createRandom } from './random.ts';
import { expectRecovery } from './recovery.ts';
import type { ChaosReport } from './report.ts';
import { createResponseChecker, type SentCall } from './response-checker.ts';
import { CALL_TIMEOUT_MS, createServers, SERVER_IDS } from './servers.ts';

export interface ChaosOptions {
  readonly calls: number;
  /** The same seed chooses the same calls and the same events. */
  readonly seed: number;
  /** The number of calls per event. */
  readonly callsPerEvent: number;
  /** The program that all servers run. */
  readonly program?: string | undefined;
  /** Called from time to time. */
  readonly onProgress?: ((report: ChaosReport) => void) | undefined;
}

/** Maximum pending calls of one client, in total and per server. */
const MAX_PENDING_CALLS = 32;
const MAX_PENDING_CALLS_PER_SERVER = 6;
/** Calls of a short-lived client. */
const SHORT_LIVED_CLIENT_CALLS = 5;
/** A call may wait for its server to list its tools, then for its turn, and then for its answer. */
const LOST_AFTER_MS = 4 * CALL_TIMEOUT_MS;
const CHECK_INTERVAL_MS = 1_000;
const GONE_WITHIN_MS = 20_000;

/** Two clients call eight servers while faults are injected. Every broken rule is a violation. */
export async function runChaosTest(options: ChaosOptions): Promise<ChaosReport> {
  const { calls, seed, callsPerEvent, program, onProgress = () => {} } = options;
  const now = () => performance.now();
  const startedAt = now();
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-chaos-'));
  const processes = createProcessTracker();
  const servers = createServers(folder, program);
  await cacheCatalogs(servers, { folder, env: processes.env() });
  const gateway = openChaosGateway(servers, { folder, env: processes.env() });
  const checker = createResponseChecker(now);
  const injected = createCounter();
  const ended = createCounter();
  const memory = watchMemory();
  const nextEvent = createPlan(SERVER_IDS, createRandom(seed));
  const parts: Omit<ChaosClientOptions, 'clientName'> = { gateway, checker, servers, now };
  // The second client gets errors as results, like Codex. Both start their ids at 1.
  const callers = ['ann', 'codex'].map((name) => new ChaosClient(name, { ...parts, clientName: name }));
  let next = 0;

  const report = (): ChaosReport => ({ ...options, ms: now() - startedAt, injected, ended, checker, memory, callers });

  const connectBriefly = async (ms: number): Promise<void> => {
    const shortLivedClient = new ChaosClient('visitor', { ...parts, clientName: 'visitor' });
    setTimeout(() => shortLivedClient.disconnect(), ms);
    await shortLivedClient.initialize();
    for (let call = 0; call < SHORT_LIVED_CLIENT_CALLS; call++) void one(shortLivedClient);
  };

  const random = createRandom(seed + 1);
  const faults = createFaults({
    ...parts,
    gateway,
    processes,
    random,
    injected,
    connectBriefly: (ms) => void connectBriefly(ms),
  });

  const one = async (caller: ChaosClient): Promise<void> => {
    const n = next++;
    const event = n > 0 && n % callsPerEvent === 0 ? nextEvent() : undefined;
    if (event !== undefined) faults.inject(event);
    const choice = chooseCall({ n, seed, caller, servers, event, maxAtServer: MAX_PENDING_CALLS_PER_SERVER });
    const call: SentCall = { ...choice.call, sentAt: now(), version: servers.version(choice.call.server) };
    const done = faults.callSent(call, choice.details.ms ?? 0);
    const ending = await caller.call(call, choice.details);
    ended.add(ending);
    done(ending);
  };

  const work = async (caller: ChaosClient): Promise<void> => {
    while (next < calls) await one(caller);
  };

  const watch = setInterval(() => {
    for (const caller of callers) caller.reportLostCalls(LOST_AFTER_MS);
    memory.sample();
    onProgress(report());
  }, CHECK_INTERVAL_MS);
  try {
    for (const caller of callers) await caller.initialize();
    await Promise.all(callers.flatMap((caller) => Array.from({ length: MAX_PENDING_CALLS }, () => work(caller))));
    faults.restoreAll();
    await expectRecovery({ callers, checker, now, version: servers.version }, () => next++);
    checker.checkTotals(callers.length * MAX_PENDING_CALLS_PER_SERVER);
  } finally {
    clearInterval(watch);
    faults.close();
    await gateway.close();
    await processes
      .assertAllGone({ withinMs: GONE_WITHIN_MS })
      .catch((error: Error) => checker.violation(error.message));
    for (const what of readJournal(folder)) checker.violation(what);
    rmSync(folder, { recursive: true, force: true });
    memory.end();
  }
  return report();
}
