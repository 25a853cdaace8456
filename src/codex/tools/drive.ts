import type { ToolContext } from '../../serve/context.ts';
import { createAsker } from '../asker.ts';
import { refuseOpened } from '../ceilings.ts';
import type { Session } from '../session.ts';
import type { Driver } from '../sessions.ts';
import { toStatusView } from '../status-view.ts';
import { needsAttention, waitFor } from '../waiting.ts';
import type { Workplace } from '../workplace.ts';
import { linksTo, type ToolAnswer, toAnswer } from './tool.ts';

/** How many agent messages are shown when nobody says how many. */
export const DEFAULT_OUTPUT_LINES = 50;

/** The client of a call as the one who drives a turn. */
export function toDriver({ client, signal }: ToolContext, workplace: Workplace, isCallersConfig: boolean): Driver {
  return {
    asker: client.canBeAsked ? createAsker((params, options) => client.ask(params, options)) : undefined,
    // Whoever has left does not want a session that is just being opened.
    signal: AbortSignal.any([signal, client.left]),
    check: (sandbox) => refuseOpened(workplace.ceilings, sandbox, isCallersConfig),
  };
}

/** The answer of a call that started a turn: at once, or when the turn is over or needs somebody. */
export async function answerAfter(
  session: Session,
  seconds: number | undefined,
  context: ToolContext,
  workplace: Workplace,
  more: Readonly<Record<string, unknown>> = {},
): Promise<ToolAnswer> {
  const warnings = session.warnings.length === 0 ? {} : { warnings: session.warnings };
  if (seconds === undefined)
    return toAnswer(
      { sessionId: session.id, status: session.status, ...more, ...warnings },
      linksTo(session.id).slice(0, 1),
    );
  try {
    await waitFor({ sessions: [session], isOver: () => needsAttention(session), seconds, context, workplace });
  } catch (error) {
    // Whoever waited for the turn and gave up does not want it any more.
    await workplace.sessions.interrupt(session.id);
    throw error;
  }
  return toAnswer({ ...toStatusView(session, { outputLines: DEFAULT_OUTPUT_LINES }), ...more }, linksTo(session.id));
}
