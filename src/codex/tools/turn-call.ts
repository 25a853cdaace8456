import type { ToolContext } from '../../serve/context.ts';
import { createElicitationPrompter } from '../approvals/prompter.ts';
import { assertPermissionsAllowed, type SettingsOrigin } from '../limits/turn-permissions.ts';
import type { ServerContext } from '../server-context.ts';
import type { Session } from '../sessions/session.ts';
import type { TurnCaller } from '../sessions/turn-caller.ts';
import { needsAttention, waitForSessions } from '../sessions/wait-for-sessions.ts';
import { readUserConfig } from '../settings/user-config.ts';
import { toOutcomeView } from '../views/outcome-view.ts';
import { type StructuredResult, toSessionResult, toStructuredResult } from './tool.ts';

/** The client of a call as the one who drives a turn. */
export async function toTurnCaller(
  { client, signal }: ToolContext,
  serverContext: ServerContext,
  origin: SettingsOrigin,
): Promise<TurnCaller> {
  // Sessions cannot write it: it is the same when the turn begins.
  const user = await readUserConfig(serverContext.codexHome, serverContext.home);
  return {
    prompter: client.canBeAsked
      ? createElicitationPrompter((params, options) => client.ask(params, options))
      : undefined,
    // Whoever has left does not want a session that is just being opened.
    signal: AbortSignal.any([signal, client.left]),
    check: (permissions) => assertPermissionsAllowed(permissions, origin, { serverContext, user }),
  };
}

export interface WaitForTurn {
  /** Undefined: the answer does not wait. */
  readonly seconds: number | undefined;
  /** What to do when the caller no longer waits; by default the turn is ended, because nobody else wanted it. */
  readonly onAbandoned?: () => Promise<unknown>;
  /** Further members of the answer. */
  readonly extraFields?: Readonly<Record<string, unknown>>;
}

/** The answer of a call that started a turn: at once, or when the turn is over or needs somebody. */
export async function toTurnResult(
  session: Session,
  context: ToolContext,
  serverContext: ServerContext,
  { seconds, extraFields = {}, onAbandoned = () => serverContext.sessions.interrupt(session.id) }: WaitForTurn,
): Promise<StructuredResult> {
  if (seconds === undefined) {
    const warnings = session.warnings.length === 0 ? {} : { warnings: [...session.warnings] };
    session.markWarningsReported();
    return toStructuredResult({ sessionId: session.id, status: session.status, ...extraFields, ...warnings });
  }
  try {
    await waitForSessions({
      sessions: [session],
      isOver: () => needsAttention(session),
      seconds,
      context,
      serverContext,
    });
  } catch (error) {
    await onAbandoned();
    throw error;
  }
  return toSessionResult({ ...toOutcomeView(session), ...extraFields });
}
