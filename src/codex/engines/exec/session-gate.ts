import { AppError, toAppError } from '../../../base/errors.ts';
import { unknownSession } from '../../sessions/session-errors.ts';
import type { ExecCommand } from './arguments.ts';
import type { ExecEvent } from './protocol/exec-event.ts';

export type SessionEvent = Extract<ExecEvent, { kind: 'session' }>;

/** Lets events through once the session is known, and only if it is the one that was asked for. */
export interface SessionGate {
  take(event: ExecEvent): void;
  /** Settles when the session is known, or known to be the wrong one. */
  readonly opened: Promise<void>;
  /** From now on nothing is told any more. */
  close(): void;
}

interface GateListener {
  /** Called once, before any other event. */
  readonly onSession: (session: SessionEvent) => void;
  readonly onEvent: (event: ExecEvent) => void;
}

export function createSessionGate(target: ExecCommand['target'], { onSession, onEvent }: GateListener): SessionGate {
  let state: 'waiting' | 'open' | 'closed' = 'waiting';
  let resolveOpened: () => void = () => {};
  let rejectOpened: (reason: AppError) => void = () => {};
  const opened = new Promise<void>((resolve, reject) => {
    resolveOpened = resolve;
    rejectOpened = reject;
  });
  // It may be refused before anybody waits.
  opened.catch(() => {});

  function refuse(reason: AppError): void {
    state = 'closed';
    rejectOpened(reason);
  }

  function takeFirst(event: ExecEvent): void {
    if (event.kind === 'turn-started') refuse(codexTooOld());
    if (event.kind !== 'session') return;
    // 0.92 makes a new session of an id that it does not know; so do all of an id that is none.
    if (target.kind === 'resume' && event.sessionId !== target.sessionId) {
      refuse(unknownSession(target.sessionId));
      return;
    }
    state = 'open';
    try {
      onSession(event);
      resolveOpened();
    } catch (error) {
      refuse(toAppError(error));
    }
  }

  function take(event: ExecEvent): void {
    if (state === 'waiting') takeFirst(event);
    else if (state === 'open') onEvent(event);
  }

  function close(): void {
    state = 'closed';
  }

  return { take, opened, close };
}

/** 0.42 and earlier. */
function codexTooOld(): AppError {
  return new AppError(
    'START_FAILED',
    'This Codex is too old: it does not say in which session it works. Update it: npm install -g @openai/codex@latest',
  );
}
