import type { ToolContext } from '../../serve/context.ts';
import { createAsker } from '../asker.ts';
import { refuseOpened } from '../ceilings.ts';
import type { Driver } from '../driver.ts';
import { refusePlaces } from '../places.ts';
import type { Session } from '../session.ts';
import { toStatusView } from '../status-view.ts';
import { needsAttention, waitFor } from '../waiting.ts';
import type { Workplace } from '../workplace.ts';
import { linksTo, type ToolAnswer, toAnswer } from './tool.ts';

/** How many agent messages are shown when nobody says how many. */
export const DEFAULT_OUTPUT_LINES = 50;

export interface Driving {
  /** The caller has given configuration of its own. */
  readonly isCallersConfig?: boolean;
  /** Where the session works and may write, as far as that is known when the turn begins. */
  readonly folders: () => readonly string[];
}

/** The client of a call as the one who drives a turn. */
export function toDriver({ client, signal }: ToolContext, workplace: Workplace, driving: Driving): Driver {
  const { isCallersConfig = false, folders } = driving;
  return {
    asker: client.canBeAsked ? createAsker((params, options) => client.ask(params, options)) : undefined,
    // Whoever has left does not want a session that is just being opened.
    signal: AbortSignal.any([signal, client.left]),
    check(sandbox) {
      refuseOpened(workplace.ceilings, sandbox, isCallersConfig);
      refusePlaces(folders(), sandbox, workplace);
    },
  };
}

/** The folders of a session that exists. */
export function foldersOf({ sessions }: Workplace, sessionId: string): readonly string[] {
  const session = sessions.roster.find(sessionId);
  if (session === undefined) return [];
  const { cwd } = session.opened;
  return [...(cwd === '' ? [] : [cwd]), ...(session.settings.addDirs ?? [])];
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
  const warnings = session.warnings.length === 0 ? {} : { warnings: session.warnings };
  if (seconds === undefined)
    return toAnswer(
      { sessionId: session.id, status: session.status, ...more, ...warnings },
      linksTo(session.id).slice(0, 1),
    );
  try {
    await waitFor({ sessions: [session], isOver: () => needsAttention(session), seconds, context, workplace });
  } catch (error) {
    await giveUp();
    throw error;
  }
  return toAnswer({ ...toStatusView(session, { outputLines: DEFAULT_OUTPUT_LINES }), ...more }, linksTo(session.id));
}
