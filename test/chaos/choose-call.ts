import type { CallDetails, ChaosClient } from './chaos-client.ts';
import type { ChaosEvent } from './plan.ts';
import { createRandom, type Random } from './random.ts';
import type { SentCall } from './response-checker.ts';
import { SERVER_IDS, type Servers } from './servers.ts';

export interface ChooseOptions {
  readonly n: number;
  readonly seed: number;
  readonly caller: ChaosClient;
  readonly servers: Servers;
  readonly event: ChaosEvent | undefined;
  /** The limit of pending calls per server, so that a frozen server does not collect all calls. */
  readonly maxAtServer: number;
}

export interface ChosenCall {
  readonly call: Omit<SentCall, 'sentAt' | 'version'>;
  readonly details: CallDetails;
}

const MIB = 1024 * 1024;
/** Odd, so that consecutive calls get unrelated random numbers. */
const SPREAD = 0x9e3779b1;

/** Chooses the n-th call: usually plain, sometimes large, slow, cancelled, or carrying an event. */
export function chooseCall({ n, seed, caller, servers, event, maxAtServer }: ChooseOptions): ChosenCall {
  const random = createRandom(Math.imul(n + 1, SPREAD) ^ seed);
  const first = random.below(SERVER_IDS.length);
  const inOrder = [...SERVER_IDS.slice(first), ...SERVER_IDS.slice(0, first)];
  // Calls to a removed server fail immediately, so it would otherwise get most of the calls.
  const mayBeAbsent = random.chance(0.1);
  const isFree = (id: string) => caller.pendingCallsTo(id) < maxAtServer && (mayBeAbsent || servers.isPresent(id));
  const free = inOrder.find(isFree) ?? SERVER_IDS[first] ?? '';
  const base = { n, client: caller.name, nonce: `${caller.name}-${n}-${random.below(1e9)}` };
  const tool = random.chance(0.5) ? 'work' : 'read';
  if (event?.kind === 'call' && servers.isPresent(event.server)) {
    const { server, habit, ms } = event;
    const details = {
      tool,
      ms,
      ballast: undefined,
      wantsProgress: habit === 'flood-progress',
      cancelAfterMs: undefined,
    } as const;
    return { call: { ...base, server, habit, bytes: habit === 'half' ? random.below(MIB) : 0 }, details };
  }
  const bytes = random.chance(0.003) ? MIB : random.below(100);
  return { call: { ...base, server: free, habit: undefined, bytes }, details: { tool, ...chooseDetails(random) } };
}

function chooseDetails(random: Random): Omit<CallDetails, 'tool'> {
  return {
    ms: random.chance(0.2) ? random.below(random.chance(0.1) ? 300 : 10) : undefined,
    ballast: random.chance(0.002) ? 'b'.repeat(random.below(MIB)) : undefined,
    wantsProgress: random.chance(0.05),
    cancelAfterMs: random.chance(0.02) ? random.below(20) : undefined,
  };
}
