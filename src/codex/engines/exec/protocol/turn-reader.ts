import { setBounded } from '../../../../base/set-bounded.ts';
import type { EngineEvent, TurnEnd } from '../../../engine.ts';
import { type Item, isInProgress, subtractUsage, type Usage } from '../../../item-types.ts';
import { classifyFailureMessage } from '../../turn-failure.ts';
import type { ExecEvent } from './exec-event.ts';

/** Converts the events of one turn, and determines its end. */
export interface TurnReader {
  take(event: ExecEvent): readonly EngineEvent[];
  /** Determines how the turn ended, from all its events and from the process exit. */
  end(exit: ExecExit): TurnEnd;
  /** Returns the commands that were still running when the process exited, as failed. */
  unfinishedCommands(): readonly EngineEvent[];
  /** Returns the usage of the session so far, if it was reported. */
  total(): Usage | undefined;
}

export interface ExecExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The most relevant stderr line. */
  readonly stderrLine: string | undefined;
  readonly wasInterrupted: boolean;
}

/** The maximum number of items in progress. Beyond it, the start of the oldest one is dropped. */
const MAX_OPEN_ITEMS = 256;

export function createTurnReader(
  turnId: string,
  { totalBefore }: { readonly totalBefore: Usage | undefined },
): TurnReader {
  const open = new Map<string, Item>();
  let hasStarted = false;
  let unnamed = 0;
  let total: Usage | undefined;
  let lastMessage: string | undefined;
  let failure: string | undefined;
  let wasAborted = false;
  /** An error that is final unless another event follows. */
  let pendingError: string | undefined;

  function take(event: ExecEvent): readonly EngineEvent[] {
    const isFinal = event.kind === 'turn-failed';
    const retried = pendingError === undefined || isFinal ? [] : [{ kind: 'retrying', message: pendingError } as const];
    pendingError = undefined;
    return [...retried, ...toEngineEvents(event)];
  }

  function toEngineEvents(event: ExecEvent): readonly EngineEvent[] {
    switch (event.kind) {
      case 'session':
        return [];
      case 'turn-started':
        // The engine has already reported the turn, when Codex reported its session.
        hasStarted = true;
        return [];
      case 'item':
        return toItemEvents(event.item);
      case 'plan':
      case 'diff':
        return [{ ...event, turnId }];
      case 'usage':
        total = event.total;
        return [{ ...event, turn: totalBefore === undefined ? undefined : subtractUsage(event.total, totalBefore) }];
      case 'error':
        pendingError = event.message;
        return [];
      case 'retrying':
      case 'warning':
        return [event];
      case 'turn-completed':
        lastMessage = event.lastMessage ?? lastMessage;
        return [];
      case 'turn-failed':
        failure = event.message;
        return [];
      case 'turn-aborted':
        wasAborted = true;
        return [];
    }
  }

  function toItemEvents(item: Item): readonly EngineEvent[] {
    // Codex reports warnings about the session as items before the turn starts.
    if (item.type === 'error' && !hasStarted) return [{ kind: 'warning', message: item.summary }];
    const whole = mergeWithStart(item);
    if (whole.type === 'agent_message' && whole.text !== undefined) lastMessage = whole.text;
    return [{ kind: 'item', turnId, item: whole }];
  }

  function mergeWithStart(item: Item): Item {
    const id = item.id === '' ? `item-${++unnamed}` : item.id;
    const { summary, ...begun } = open.get(id) ?? {};
    const whole = { ...begun, ...item, id, summary: item.summary || (summary ?? '') };
    open.delete(id);
    if (isInProgress(item)) setBounded(open, id, whole, MAX_OPEN_ITEMS);
    return whole;
  }

  function end(exit: ExecExit): TurnEnd {
    if (exit.wasInterrupted || wasAborted || isInterruption(exit)) return { status: 'interrupted' };
    const reason = failure ?? pendingError;
    if (exit.code === 0 && reason === undefined) return { status: 'completed', lastMessage };
    if (exit.code === 0 && reason !== undefined) return { status: 'failed', failure: classifyFailureMessage(reason) };
    const how = describeExecExit(exit);
    if (reason === undefined) {
      const message = `${how}: ${exit.stderrLine ?? 'no reason given'}`;
      return { status: 'failed', failure: { kind: 'engine', message } };
    }
    const classified = classifyFailureMessage(reason);
    return { status: 'failed', failure: { ...classified, message: `${classified.message} (${how})` } };
  }

  return { take, end, unfinishedCommands: () => failedCommands(turnId, [...open.values()]), total: () => total };
}

export function describeExecExit({ code, signal }: ExecExit): string {
  return `codex exec ${signal === null ? `exited with code ${code}` : `was killed by ${signal}`}`;
}

function failedCommands(turnId: string, items: readonly Item[]): readonly EngineEvent[] {
  return items
    .filter(({ type }) => type === 'command_execution')
    .map((item) => ({ kind: 'item', turnId, item: { ...item, status: 'failed' } }));
}

/** Exit codes for SIGINT and SIGTERM, as a shell or Codex's own script reports them. */
const INTERRUPTED_CODES: readonly unknown[] = [130, 143];

function isInterruption({ code, signal }: ExecExit): boolean {
  return signal === 'SIGINT' || signal === 'SIGTERM' || INTERRUPTED_CODES.includes(code);
}
