import type { AggregateGateway } from '../../src/gateway/open/open-aggregate.ts';
import type { ProcessTracker } from '../processes.ts';
import type { Ending } from './chaos-client.ts';
import type { Counter } from './counter.ts';
import { type ChaosEvent, LONG_MS } from './plan.ts';
import type { Random } from './random.ts';
import type { Fault, ResponseChecker, SentCall } from './response-checker.ts';
import { CALL_TIMEOUT_MS, type Servers } from './servers.ts';

export interface FaultsOptions {
  readonly gateway: AggregateGateway;
  readonly servers: Servers;
  readonly checker: ResponseChecker;
  readonly processes: ProcessTracker;
  readonly random: Random;
  readonly injected: Counter;
  readonly now: () => number;
  /** Connects another client for this time. */
  readonly connectBriefly: (ms: number) => void;
}

export interface Faults {
  /** Injects an event that is not carried by a call. */
  inject(event: ChaosEvent): void;
  /** Called when a call that carries a fault is sent. Returns a function to call when it ends. */
  callSent(call: SentCall, ms: number): (ending: Ending) => void;
  /** Resumes everything that was frozen and restores every server. */
  restoreAll(): void;
  /** Stops watching the servers. */
  close(): void;
}

/** Time until the gateway notices that a process has exited. */
const NOTICE_MS = 1_000;
/** After this time, a crashed or replaced server is ready, or its status shows that it is not. */
const START_MS = 3_000;
/** Maximum start time on a slow machine. */
const MAX_START_MS = 30_000;
const CHECK_INTERVAL_MS = 100;
/** Time until a frozen process is killed, after the first two steps of stopping it. */
const STOP_SEQUENCE_MS = 2_500;
const CRASH_CODES = ['PROCESS_EXITED', 'START_FAILED', 'OUTCOME_UNKNOWN'] as const;

/** Injects faults, and tells the judge which failures each of them explains. */
export function createFaults(options: FaultsOptions): Faults {
  const { gateway, servers, checker, processes, random, injected, now } = options;
  const removals = new Map<string, Fault>();
  const frozen = new Map<number, NodeJS.Timeout>();
  const starts = new Map<string, Fault>();
  let isPaused: NodeJS.Timeout | undefined;

  const stand = (server: string, ms: number) =>
    checker.fault({ server, codes: [], from: now(), until: now() + ms, isUnresponsive: true });

  const start = (server: string) => void starts.set(server, stand(server, START_MS));

  // While the status of a server is not ready, extend its start time.
  const looking = setInterval(() => {
    const waiting = gateway.status().filter(({ state }) => state !== 'ready');
    for (const { id } of waiting) {
      const fault = starts.get(id);
      const isStarting = fault !== undefined && fault.until > now() - START_MS && fault.from > now() - MAX_START_MS;
      if (isStarting) fault.until = Math.max(fault.until, now() + CHECK_INTERVAL_MS);
    }
  }, CHECK_INTERVAL_MS);

  const apply = () => gateway.applyConfig(servers.config());

  const processOf = (server: string) => {
    const mark = servers.mark(server);
    const running = processes.alive().filter(({ command, pid }) => command.includes(mark) && !frozen.has(pid));
    return running.length === 0 ? undefined : random.pick(running).pid;
  };

  const kill = (server: string) => {
    const pid = processOf(server);
    if (pid === undefined) return injected.add('kill (nobody there)');
    signal(pid, 'SIGKILL');
    checker.fault({ server, codes: CRASH_CODES, from: now(), until: now() + NOTICE_MS, isUnresponsive: false });
    start(server);
  };

  const thaw = (pid: number) => {
    clearTimeout(frozen.get(pid));
    frozen.delete(pid);
    signal(pid, 'SIGCONT');
  };

  const freeze = (server: string, ms: number) => {
    const pid = processOf(server);
    if (pid === undefined) return injected.add('freeze (nobody there)');
    signal(pid, 'SIGSTOP');
    frozen.set(
      pid,
      setTimeout(() => thaw(pid), ms),
    );
    stand(server, ms + (servers.isLocked(server) ? STOP_SEQUENCE_MS : 0));
  };

  const remove = (server: string) => {
    servers.remove(server);
    const codes = ['TOOL_NOT_FOUND', 'CONNECTION_CLOSED', 'OUTCOME_UNKNOWN'] as const;
    const fault = { server, codes, from: now(), until: Number.POSITIVE_INFINITY, isUnresponsive: false };
    removals.set(server, checker.fault(fault));
    apply();
  };

  const add = (server: string) => {
    servers.add(server);
    apply();
    const removal = removals.get(server);
    if (removal !== undefined) removal.until = now();
    removals.delete(server);
    start(server);
  };

  const slowClient = (ms: number) => {
    if (isPaused !== undefined) return;
    gateway.pause();
    isPaused = setTimeout(() => {
      isPaused = undefined;
      gateway.resume();
    }, ms);
  };

  // Initially, all servers start together.
  for (const { id } of gateway.status()) start(id);

  const inject = (event: ChaosEvent) => {
    injected.add(event.kind === 'call' ? event.habit : event.kind);
    switch (event.kind) {
      case 'kill':
        return kill(event.server);
      case 'freeze':
        return freeze(event.server, event.ms);
      case 'change':
        servers.change(event.server);
        apply();
        return start(event.server);
      case 'remove':
        return remove(event.server);
      case 'add':
        return add(event.server);
      case 'settings':
        servers.changeSettings(event.server);
        return void apply();
      case 'same':
        return void apply();
      case 'slow-client':
        return slowClient(event.ms);
      case 'visit':
        return options.connectBriefly(event.ms);
      case 'call':
        return;
    }
  };

  const callSent = ({ server, habit }: SentCall, ms: number) => {
    if (habit === 'deaf') stand(server, ms);
    if (habit !== 'die' && habit !== 'half') return () => {};
    const codes = habit === 'half' ? ([...CRASH_CODES, 'BAD_ANSWER'] as const) : CRASH_CODES;
    const fault = checker.fault({ server, codes, from: now(), until: Number.POSITIVE_INFINITY, isUnresponsive: false });
    // When this call fails, all other calls fail too, unless the server has not read it yet.
    return (ending: Ending) => {
      const isUnread = ending !== 'answered' || now() - fault.from >= CALL_TIMEOUT_MS;
      fault.until = now() + (isUnread ? LONG_MS : 0);
      start(server);
    };
  };

  const restoreAll = () => {
    for (const pid of [...frozen.keys()]) thaw(pid);
    for (const server of [...removals.keys()]) add(server);
  };

  return { inject, callSent, restoreAll, close: () => clearInterval(looking) };
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has already exited.
  }
}
