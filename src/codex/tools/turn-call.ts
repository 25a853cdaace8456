import { setImmediate } from 'node:timers/promises';
import { canElicit } from '../../serve/client-capabilities.ts';
import type { ToolContext } from '../../serve/context.ts';
import { CAPABILITIES_KEY } from '../../wire/envelope-keys.ts';
import { createElicitationPrompter } from '../approvals/prompter.ts';
import { type ProtectedTargets, resolveProtected } from '../limits/find-protected.ts';
import { enforcesLimits } from '../limits/operator-limits.ts';
import { assertPermissionsAllowed, type SettingsOrigin } from '../limits/turn-permissions.ts';
import type { ServerContext } from '../server-context.ts';
import type { Session } from '../sessions/session.ts';
import type { TurnCaller } from '../sessions/turn-caller.ts';
import { needsAttention, waitForSessions } from '../sessions/wait-for-sessions.ts';
import { readUserConfig } from '../settings/user-config.ts';
import { toOutcomeView } from '../views/outcome-view.ts';
import { type StructuredResult, toSessionResult, toStructuredResult } from './tool.ts';

/** Returns the client of a call as the caller that drives a turn. */
export async function toTurnCaller(
  { client, signal, meta }: ToolContext,
  serverContext: ServerContext,
  origin: SettingsOrigin,
): Promise<TurnCaller> {
  // Sessions cannot write this config, so it is still the same when the turn begins.
  const user = await readUserConfig(serverContext.codexHome, serverContext.home);
  const resolving = resolveEarly(serverContext);
  const prompter = createElicitationPrompter((params, options) => client.ask(params, options));
  return {
    client,
    prompter: client.canBeAsked ? { ...prompter, canPrompt: () => client.reach !== 'calls' } : undefined,
    canPromptInCalls: canElicit(meta[CAPABILITIES_KEY]),
    // A client that has disconnected does not need a session that is still being opened.
    signal: AbortSignal.any([signal, client.left]),
    check: async (permissions) =>
      assertPermissionsAllowed(permissions, origin, { serverContext, user, protectedTargets: await resolving }),
  };
}

/**
 * Resolves the protected folders while Codex opens the session: the request to Codex is sent first. Under limits they
 * are resolved right before the turn.
 */
async function resolveEarly({
  operatorLimits,
  protectedFolders,
}: ServerContext): Promise<ProtectedTargets | undefined> {
  if (enforcesLimits(operatorLimits)) return undefined;
  await setImmediate();
  return resolveProtected(protectedFolders);
}

export interface WaitForTurn {
  /** Undefined if the call does not wait. */
  readonly seconds: number | undefined;
  /** Called when the caller stops waiting. By default it interrupts the turn, because no other caller needs it. */
  readonly onAbandoned?: () => Promise<unknown>;
  /** Further members of the result. */
  readonly extraFields?: Readonly<Record<string, unknown>>;
}

/** Returns the result of a call that started a turn: at once, or when the turn is over or needs attention. */
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
