import type { Redact } from '../../base/redaction/redact.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import type { ConfiguredServer } from '../../config/server-entry.ts';
import { diagnose, displayedState, type LiveServer, UNUSED_STATES } from './diagnosis.ts';
import type { ServerState, ServerSummary } from './running-status.ts';
import { countProcesses, countTools, type ToolCounts } from './server-facts.ts';

export interface SummaryOptions {
  /** Masks secrets in text from the server. */
  readonly redact?: Redact | undefined;
  /** Default: counted by `isOffered`. */
  readonly counts?: ToolCounts | undefined;
}

/**
 * Summarizes a configured server. `live` is undefined if the server is not in use. Cheap, because it also runs during
 * calls.
 */
export function summarizeServer(
  server: ConfiguredServer,
  live: LiveServer | undefined,
  { redact, counts = live && countTools(live) }: SummaryOptions = {},
): ServerSummary {
  const { id, verdict, origin } = server;
  const { reason, next } = diagnose(server, live);
  const tally = live?.upstream.history.callStats;
  // Every row has the same object shape. Rows built by spreading parts cost ten times as much.
  return {
    id,
    transport: transportOf(server),
    source: (verdict.kind === 'disabled' ? verdict.definedIn : undefined) ?? origin.layer,
    enabled: verdict.kind === 'usable',
    state: live === undefined ? UNUSED_STATES[verdict.kind] : stateOf(live),
    tools: counts?.tools ?? 0,
    hiddenTools: counts?.hiddenTools || undefined,
    calls: tally?.calls ?? 0,
    underWay: live === undefined ? 0 : pendingCallsOf(live),
    p50Ms: tally?.p50Ms(),
    processes: live && countProcesses(live),
    droppedMessages: live?.upstream.history.droppedMessages || undefined,
    note: reason === undefined ? undefined : formatNote(reason, redact),
    next,
  };
}

function pendingCallsOf({ upstream, processes = [upstream] }: LiveServer): number {
  return processes.reduce((sum, { pendingCalls }) => sum + pendingCalls, 0);
}

const MAX_NOTE = 500;

function transportOf({ verdict }: ConfiguredServer): ServerSummary['transport'] {
  if (verdict.kind === 'usable') return verdict.entry.transport.kind;
  return verdict.kind === 'disabled' ? verdict.transport : undefined;
}

/** An idle server counts as ready: its tools can be called, and a call starts it. */
function stateOf(live: LiveServer): ServerState {
  const state = displayedState(live);
  return state === 'idle' ? 'ready' : state;
}

/** Removes the suggested command from the note, because `next` shows it separately. */
function formatNote(reason: string, redact: Redact | undefined): string {
  const [why = reason] = reason.split(' Run: ');
  return oneLine(redact?.(why) ?? why, MAX_NOTE);
}
