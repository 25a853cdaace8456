import { oneLine } from '../../base/text/safe-text.ts';
import type { ConfiguredServer } from '../../config/server-entry.ts';
import { diagnose, displayedState, type LiveServer, UNUSED_STATES } from './diagnosis.ts';
import type { ServerState, ServerSummary } from './running-status.ts';

/** A server that is used, and how many tools it offers. */
export interface SummarySource extends LiveServer {
  readonly tools: number;
  /** How many more it has that nobody is offered. */
  readonly hiddenTools: number;
  /** Takes secrets out of what the server said. */
  readonly redact?: ((text: string) => string) | undefined;
}

/** One row about a server of the config; `live` when it is used. Cheap: asked while calls are under way. */
export function summariseServer(server: ConfiguredServer, live: SummarySource | undefined): ServerSummary {
  const { id, verdict, origin } = server;
  const { reason, next } = diagnose(server, live);
  const tally = live?.upstream.history.callStats;
  // One shape for all of them: rows that are put together of parts cost ten times as much.
  return {
    id,
    transport: transportOf(server),
    source: (verdict.kind === 'disabled' ? verdict.definedIn : undefined) ?? origin.layer,
    enabled: verdict.kind === 'usable',
    state: live === undefined ? UNUSED_STATES[verdict.kind] : stateOf(live),
    tools: live?.tools ?? 0,
    hiddenTools: live?.hiddenTools || undefined,
    calls: tally?.calls ?? 0,
    underWay: live?.upstream.pendingCalls ?? 0,
    p50Ms: tally?.p50Ms(),
    note: reason === undefined ? undefined : formatNote(reason, live),
    next,
  };
}

const MAX_NOTE = 500;

function transportOf({ verdict }: ConfiguredServer): ServerSummary['transport'] {
  if (verdict.kind === 'usable') return verdict.entry.transport.kind;
  return verdict.kind === 'disabled' ? verdict.transport : undefined;
}

/** The tools of one that rests are there and can be called: whoever calls one starts it. */
function stateOf(live: SummarySource): ServerState {
  const state = displayedState(live);
  return state === 'idle' ? 'ready' : state;
}

/** What to type stands beside the note, not in it. */
function formatNote(reason: string, live: SummarySource | undefined): string {
  const [why = reason] = reason.split(' Run: ');
  return oneLine(live?.redact?.(why) ?? why, MAX_NOTE);
}
