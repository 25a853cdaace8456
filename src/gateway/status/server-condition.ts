import { oneLine } from '../../base/text/safe-text.ts';
import type { ConfiguredServer } from '../../config/server-entry.ts';
import { failureReason, nextCommand } from '../../control/status/diagnosis.ts';
import { LIST_KINDS } from '../../upstream/catalog/listing.ts';
import type { UpstreamState } from '../../upstream/state.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import type { GatewayServer } from '../servers/gateway-server.ts';
import type { Condition } from './condition-log.ts';

/** Returns the condition of a configured server, or undefined while it is starting or idle. */
export function conditionOf(
  { upstream, catalog }: GatewayServer,
  configured: ConfiguredServer | undefined,
): Condition | undefined {
  // After each connect all lists are requested again. Until they have arrived, the server may still become degraded.
  if (upstream.state.kind === 'ready' && !LIST_KINDS.every(catalog.isFresh)) return undefined;
  const condition = conditionOfConnection(upstream, configured);
  const problems = catalog.problems();
  if (condition?.kind !== 'ready' || problems.length === 0) return condition;
  return { kind: 'degraded', reason: shorten(problems.join('; ')) };
}

/** Returns the condition of the connection alone, for a server whose lists are not read. */
export function conditionOfConnection(
  { state, lastFailure }: Pick<Upstream, 'state' | 'lastFailure'>,
  configured?: ConfiguredServer | undefined,
): Condition | undefined {
  // A crashed server is restarted, but counts as failed until it is ready.
  const effective: UpstreamState =
    state.kind === 'connecting' && lastFailure !== undefined ? { kind: 'error', error: lastFailure } : state;
  const next = configured && nextCommand(effective, configured);
  switch (effective.kind) {
    case 'ready':
      return { kind: 'ready' };
    case 'error':
      return { kind: 'failed', reason: shorten(failureReason(effective.error)), next };
    case 'auth_required':
      return { kind: 'auth_required', next };
    case 'connecting':
    case 'idle':
      return undefined;
  }
}

const MAX_REASON_LENGTH = 300;

function shorten(reason: string): string {
  return oneLine(reason, MAX_REASON_LENGTH);
}
