import type { ToolContext } from '../../serve/context.ts';
import { createAsker } from '../approvals/prompter.ts';
import { refusePermissions, type SettingsOrigin } from '../limits/turn-permissions.ts';
import type { Workplace } from '../server-context.ts';
import type { Session } from '../sessions/session.ts';
import type { Driver } from '../sessions/turn-caller.ts';
import { needsAttention, waitFor } from '../sessions/wait-for-sessions.ts';
import { readUserConfig } from '../settings/user-config.ts';
import { toOutcome } from '../views/outcome-view.ts';
import { type ToolAnswer, toAnswer, toSessionAnswer } from './tool.ts';

/** The client of a call as the one who drives a turn. */
export async function toDriver(
  { client, signal }: ToolContext,
  workplace: Workplace,
  origin: SettingsOrigin,
): Promise<Driver> {
  // Sessions cannot write it: it is the same when the turn begins.
  const user = await readUserConfig(workplace.codexHome, workplace.home);
  return {
    asker: client.canBeAsked ? createAsker((params, options) => client.ask(params, options)) : undefined,
    // Whoever has left does not want a session that is just being opened.
    signal: AbortSignal.any([signal, client.left]),
    check: (permissions) => refusePermissions(permissions, origin, { workplace, user }),
  };
}

export interface Waiting {
  /** Undefined: the answer does not wait. */
  readonly seconds: number | undefined;
  /** What to do when the caller no longer waits; by default the turn is ended, because nobody else wanted it. */
  readonly giveUp?: () => Promise<unknown>;
  /** Further members of the answer. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** The answer of a call that started a turn: at once, or when the turn is over or needs somebody. */
export async function answerAfter(
  session: Session,
  context: ToolContext,
  workplace: Workplace,
  { seconds, more = {}, giveUp = () => workplace.sessions.interrupt(session.id) }: Waiting,
): Promise<ToolAnswer> {
  if (seconds === undefined) {
    const warnings = session.warnings.length === 0 ? {} : { warnings: [...session.warnings] };
    session.warningsTold();
    return toAnswer({ sessionId: session.id, status: session.status, ...more, ...warnings });
  }
  try {
    await waitFor({ sessions: [session], isOver: () => needsAttention(session), seconds, context, workplace });
  } catch (error) {
    await giveUp();
    throw error;
  }
  return toSessionAnswer({ ...toOutcome(session), ...more });
}
