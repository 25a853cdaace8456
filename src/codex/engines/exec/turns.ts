import { randomHex } from '../../../base/digest.ts';
import { AppError } from '../../../base/errors.ts';
import { setBounded } from '../../../base/set-bounded.ts';
import type { EngineListener, OpenedSession, StartedTurn, TurnRef } from '../../engine.ts';
import { NO_USAGE, type Usage } from '../../item-types.ts';
import { type LaunchRequest, launch, type RunReceiver } from './launch.ts';
import type { ExecOptions } from './options.ts';
import { createTurnReader, type TurnReader } from './protocol/turn-reader.ts';
import type { Run } from './run.ts';
import type { SessionEvent } from './session-gate.ts';

/** The running turns. Each is one process. */
interface ExecTurns {
  /** Starts a turn. Resolves when the session is known, and reports all further events to the listener. */
  begin(request: TurnRequest): Promise<StartedTurn>;
  /** Forks a session in a process that runs no turn. */
  fork(request: ForkRunRequest): Promise<void>;
  isRunning(sessionId: string): boolean;
  /** Has no effect if the turn is over. */
  interrupt(turn: TurnRef): void;
  close(): Promise<void>;
}

interface TurnRequest extends LaunchRequest {
  /** Called once, before any event of the session. */
  readonly onOpened: (session: OpenedSession) => void;
}

type UsageTotals = Map<string, Usage | undefined>;

/** The maximum number of sessions whose usage is kept. The least recently used one is dropped first. */
const MAX_USAGE_TOTALS = 1_000;

type ForkRunRequest = TurnRequest & { readonly target: { readonly kind: 'fork' } };

export function openTurns(options: ExecOptions, listener: EngineListener): ExecTurns {
  /** The token usage of sessions, kept from turn to turn. Undefined after an interrupt: Codex does not report it. */
  const usageTotals: UsageTotals = new Map();
  const running = new Map<string, { readonly turnId: string; readonly run: Run }>();
  /** Sessions whose process has not reported yet. Two processes for one session would corrupt its storage. */
  const starting = new Set<string>();
  const activeRuns = new Set<Run>();
  const pendingWork = new Set<Promise<unknown>>();
  const closing = new AbortController();

  async function begin(request: TurnRequest): Promise<StartedTurn> {
    const { target } = request;
    if (target.kind !== 'resume') return beginTurn(request);
    if (running.has(target.sessionId) || starting.has(target.sessionId)) throw busy(target.sessionId);
    starting.add(target.sessionId);
    return beginTurn(request).finally(() => starting.delete(target.sessionId));
  }

  async function beginTurn(request: TurnRequest): Promise<StartedTurn> {
    const turnId = randomHex(16);
    const totalBefore = (sessionId: string) =>
      request.target.kind === 'start' ? NO_USAGE : usageTotals.get(sessionId);
    let sessionId = '';
    let reader: TurnReader | undefined;
    const run = await open(request, {
      onSession(session, opened) {
        sessionId = session.sessionId;
        reader = createTurnReader(turnId, { totalBefore: totalBefore(sessionId) });
        running.set(sessionId, { turnId, run: opened });
        request.onOpened(toOpened(session, request));
        listener.event(sessionId, { kind: 'turn-started', turnId });
      },
      onEvent(event) {
        for (const engineEvent of reader?.take(event) ?? []) listener.event(sessionId, engineEvent);
      },
    });
    const ended = run.finished.then((exit) => {
      const end = reader?.end(exit) ?? { status: 'interrupted' };
      running.delete(sessionId);
      for (const engineEvent of reader?.unfinishedCommands() ?? []) listener.event(sessionId, engineEvent);
      setUsageTotal(usageTotals, sessionId, end.status === 'completed' ? reader?.total() : undefined);
      listener.event(sessionId, { kind: 'turn-ended', turnId, end });
    });
    void track(ended);
    return { sessionId, turnId };
  }

  async function fork(request: ForkRunRequest): Promise<void> {
    const run = await open(request, {
      onSession(session) {
        setUsageTotal(usageTotals, session.sessionId, usageTotals.get(request.target.sessionId));
        request.onOpened(toOpened(session, request));
      },
      onEvent() {},
    });
    // The session is complete when the process has exited.
    await track(run.finished);
  }

  /** Launches a run that `close` aborts and waits for. */
  function open(request: TurnRequest, receiver: RunReceiver): Promise<Run> {
    if (closing.signal.aborted) return Promise.reject(closed());
    const signal = request.signal === undefined ? closing.signal : AbortSignal.any([request.signal, closing.signal]);
    return track(launch(options, { ...request, signal }, receiver).then(adopt));
  }

  function adopt(run: Run): Run {
    activeRuns.add(run);
    void run.finished.then(() => activeRuns.delete(run));
    // The session became known in the same moment as `close` was called.
    if (closing.signal.aborted) void run.stop('closed');
    return run;
  }

  function track<Value>(promise: Promise<Value>): Promise<Value> {
    pendingWork.add(promise);
    // The caller handles a rejection. Here only the completion matters.
    void promise.catch(() => {}).finally(() => pendingWork.delete(promise));
    return promise;
  }

  function interrupt({ sessionId, turnId }: TurnRef): void {
    const turn = running.get(sessionId);
    if (turn?.turnId === turnId) turn.run.interrupt();
  }

  async function close(): Promise<void> {
    closing.abort();
    await Promise.all([...activeRuns].map((run) => run.stop('closed')));
    await Promise.allSettled([...pendingWork]);
  }

  return { begin, fork, isRunning: (sessionId) => running.has(sessionId), interrupt, close };
}

function toOpened({ sessionId, model }: SessionEvent, { target, cwd, settings, turn }: TurnRequest): OpenedSession {
  const known = turn.model ?? settings.model ?? model;
  const sandbox = turn.sandbox ?? settings.sandbox;
  return {
    sessionId,
    cwd,
    approvalPolicy: 'never',
    // It depends on the version whether `codex exec resume` keeps the sandbox: 0.92 does not.
    forgetsPolicy: true,
    ...(known !== undefined && { model: known }),
    ...(sandbox !== undefined && { sandbox }),
    ...(target.kind === 'fork' && { forkedFrom: target.sessionId }),
  };
}

function setUsageTotal(totals: UsageTotals, sessionId: string, total: Usage | undefined): void {
  totals.delete(sessionId);
  setBounded(totals, sessionId, total, MAX_USAGE_TOTALS);
}

function busy(sessionId: string): AppError {
  return new AppError('BUSY', `A turn of session ${sessionId} is running: wait until it has ended, or interrupt it.`);
}

function closed(): AppError {
  return new AppError('CANCELLED', 'The exec engine is closed.');
}
