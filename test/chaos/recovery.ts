import { setTimeout as sleep } from 'node:timers/promises';
import type { ChaosClient } from './chaos-client.ts';
import type { ResponseChecker } from './response-checker.ts';
import { SERVER_IDS } from './servers.ts';

const RECOVERY_MS = 60_000;

interface RecoveryOptions {
  readonly callers: readonly ChaosClient[];
  readonly checker: ResponseChecker;
  readonly now: () => number;
  readonly version: (server: string) => number;
}

/** Checks that after the faults, every server responds to every client again. */
export async function expectRecovery(
  { callers, checker, now, version }: RecoveryOptions,
  nextNumber: () => number,
): Promise<void> {
  const end = now() + RECOVERY_MS;
  const isBack = async (caller: ChaosClient, server: string): Promise<boolean> => {
    const n = nextNumber();
    const before = checker.results.count('plain');
    const nonce = `${caller.name}-${n}`;
    const call = {
      n,
      client: caller.name,
      server,
      nonce,
      habit: undefined,
      bytes: 0,
      sentAt: now(),
      version: version(server),
    };
    const details = {
      tool: 'work',
      ms: undefined,
      ballast: undefined,
      wantsProgress: false,
      cancelAfterMs: undefined,
    } as const;
    await caller.call(call, details);
    return checker.results.count('plain') > before;
  };
  for (const caller of callers) {
    for (const server of SERVER_IDS) {
      while (!(await isBack(caller, server))) {
        if (now() > end) return checker.violation(`${server} did not recover for ${caller.name}`);
        await sleep(100);
      }
    }
  }
}
