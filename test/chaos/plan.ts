import type { Random } from './random.ts';

/** An injected event, either independent of calls or carried by one call. */
export type ChaosEvent =
  | { readonly kind: 'kill'; readonly server: string }
  | { readonly kind: 'freeze'; readonly server: string; readonly ms: number }
  | { readonly kind: 'call'; readonly server: string; readonly habit: Misbehavior; readonly ms: number }
  | { readonly kind: 'change' | 'remove' | 'add' | 'settings'; readonly server: string }
  | { readonly kind: 'same' }
  /** Another client connects, calls, and disconnects without waiting. */
  | { readonly kind: 'visit'; readonly ms: number }
  | { readonly kind: 'slow-client'; readonly ms: number };

/** What a call asks its server to do; see `fixtures/injects-faults.mjs`. */
export type Misbehavior =
  | 'hang'
  | 'die'
  | 'half'
  | 'deaf'
  | 'junk-lines'
  | 'junk-before'
  | 'flood-stdout'
  | 'flood-progress'
  | 'flood-notifications'
  | 'change-list'
  | 'twice'
  | 'refuse';

type EventName = Exclude<ChaosEvent['kind'], 'call'> | Misbehavior;

/** Relative frequencies. */
const SHARES: Readonly<Record<EventName, number>> = {
  kill: 10,
  die: 5,
  half: 5,
  hang: 6,
  freeze: 5,
  deaf: 4,
  'junk-lines': 4,
  'junk-before': 4,
  'flood-stdout': 3,
  'flood-progress': 3,
  'flood-notifications': 3,
  'change-list': 8,
  twice: 4,
  refuse: 4,
  change: 14,
  remove: 4,
  add: 6,
  settings: 4,
  same: 2,
  'slow-client': 4,
  visit: 4,
};
const NAMES = Object.entries(SHARES).flatMap(([name, share]) => Array<EventName>(share).fill(name as EventName));

/** The gateway rejects calls after five crashes in a minute, which this test does not cover. */
const MAX_CRASHES = 3;
const MAX_ABSENT = 2;

/** Longer than a call may take. */
export const LONG_MS = 10_000;
const SHORT_MS = 800;

/** Chooses events. Depends only on `random`, never on time or responses. */
export function createPlan(servers: readonly string[], random: Random): () => ChaosEvent {
  const crashes = new Map<string, number>();
  const absent = new Set<string>();

  const crash = (server: string, event: ChaosEvent): ChaosEvent => {
    const count = (crashes.get(server) ?? 0) + 1;
    crashes.set(server, count > MAX_CRASHES ? 0 : count);
    return count > MAX_CRASHES ? { kind: 'change', server } : event;
  };

  const ofServer = (name: EventName, server: string): ChaosEvent => {
    const ms = random.chance(0.1) ? LONG_MS : 50 + random.below(SHORT_MS);
    switch (name) {
      case 'kill':
        return crash(server, { kind: 'kill', server });
      case 'die':
      case 'half':
        return crash(server, { kind: 'call', server, habit: name, ms });
      case 'freeze':
        return { kind: 'freeze', server, ms };
      case 'change':
        crashes.delete(server);
        return { kind: 'change', server };
      case 'settings':
        return { kind: 'settings', server };
      case 'remove':
        if (absent.size >= MAX_ABSENT) return { kind: 'same' };
        absent.add(server);
        crashes.delete(server);
        return { kind: 'remove', server };
      case 'add':
      case 'same':
        return { kind: 'same' };
      case 'slow-client':
      case 'visit':
        return { kind: name, ms: 20 + random.below(200) };
      default:
        return { kind: 'call', server, habit: name, ms };
    }
  };

  return () => {
    const name = random.pick(NAMES);
    const server = random.pick(servers.filter((id) => !absent.has(id)));
    const [missing] = absent;
    if (name !== 'add' || missing === undefined) return ofServer(name, server);
    absent.delete(missing);
    return { kind: 'add', server: missing };
  };
}
