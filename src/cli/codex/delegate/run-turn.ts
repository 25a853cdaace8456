import { AppError } from '../../../base/errors.ts';
import { programName } from '../../../base/program-name.ts';
import { oneLine } from '../../../base/text/safe-text.ts';
import { escapeInvisible } from '../../../base/text/visible-text.ts';
import { waitUntil } from '../../../base/wait-until.ts';
import { type Item, isInProgress } from '../../../codex/item-types.ts';
import type { ServerContext } from '../../../codex/server-context.ts';
import type { Session } from '../../../codex/sessions/session.ts';
import { progressText } from '../../../codex/sessions/wait-for-sessions.ts';
import type { CodexTool } from '../../../codex/tools/tool.ts';
import type { ProgressLine } from '../../terminal/progress-line.ts';
import type { Approver } from './approver.ts';
import { createLocalCall } from './local-call.ts';

export interface LocalTurn {
  /** `codex_start` or `codex_say`, with its arguments. */
  readonly tool: CodexTool;
  readonly args: Readonly<Record<string, unknown>>;
  readonly approver: Approver;
  readonly line: ProgressLine;
  /** Aborts when the person interrupts. */
  readonly signal: AbortSignal;
  /** Called as soon as the session is known. */
  started(session: Session): void;
}

/** A turn may take long. Longer than this is a mistake, and nobody is watching. */
const MAX_TURN_MS = 24 * 60 * 60 * 1_000;
const PROGRESS_MS = 1_000;

/** Starts a turn with a tool of the codex server and waits for its end. Interrupts it if the signal aborts. */
export async function runTurn(serverContext: ServerContext, turn: LocalTurn): Promise<Session> {
  const { tool, args, approver, signal } = turn;
  const { sessions } = serverContext;
  const call = createLocalCall({ signal, ask: (params, options) => approver.answer(params, options.signal) });
  const { structuredContent } = await tool.run(args, call, serverContext).catch((error: unknown) => {
    throw toCommandError(error, signal);
  });
  const session = sessions.registry.get(String(structuredContent['sessionId']));
  turn.started(session);
  const stopProgress = showProgress(session, turn.line);
  try {
    const isOver = await waitUntil(session, () => !session.isRunning, { timeoutMs: MAX_TURN_MS, signal });
    if (!isOver) throw new AppError('TIMED_OUT', 'The turn did not end within a day and was interrupted.');
    return session;
  } catch (error) {
    await sessions.interrupt(session.id);
    if (!signal.aborted) throw error;
    throw new AppError('CANCELLED', `Interrupted. To continue, run: ${programName()} codex say ${session.id} "…"`);
  } finally {
    stopProgress();
  }
}

function toCommandError(error: unknown, signal: AbortSignal): unknown {
  return signal.aborted ? new AppError('CANCELLED', 'Interrupted before the turn started.', { cause: error }) : error;
}

/** Prints a line for each action of Codex, and the current activity on the line below. */
function showProgress(session: Session, line: ProgressLine): () => void {
  const shown = new Set<string>();
  let count = 0;
  const update = () => line.update({ progress: ++count, message: progressText(session) });
  const showItems = () => {
    for (const item of session.turn?.items() ?? []) {
      if (!isAction(item) || isInProgress(item) || shown.has(item.id)) continue;
      shown.add(item.id);
      line.print(itemText(item));
    }
  };
  const stopListening = session.onChange(showItems);
  const timer = setInterval(update, PROGRESS_MS);
  showItems();
  return () => {
    clearInterval(timer);
    stopListening();
    showItems();
  };
}

const ACTIONS: readonly Item['type'][] = ['command_execution', 'file_change', 'mcp_tool_call', 'web_search', 'error'];
const NAMES: Readonly<Record<string, string>> = {
  ...{ command_execution: 'ran', file_change: 'changed', mcp_tool_call: 'called', web_search: 'searched' },
};

function isAction({ type }: Item): boolean {
  return ACTIONS.includes(type);
}

function itemText({ type, status, summary, exitCode }: Item): string {
  const failed = exitCode === undefined ? ' (failed)' : ` (exit code ${exitCode})`;
  return `${NAMES[type] ?? type} ${escapeInvisible(oneLine(summary))}${status === 'failed' ? failed : ''}`;
}
