import { AppError, toAppError } from '../../../base/errors.ts';
import { unknownSession } from '../../sessions/session-errors.ts';
import type { ExecCommand } from './arguments.ts';
import type { ExecEvent } from './protocol/exec-event.ts';

export type SessionEvent = Extract<ExecEvent, { kind: 'session' }>;

/** Forwards events once the session is known, and only if it is the requested one. */
export interface SessionGate {
  take(event: ExecEvent): void;
  /** Resolves when the session is known. Rejects if it is the wrong one. */
  readonly opened: Promise<void>;
  /** Stops forwarding events. */
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
  // The gate may reject before a caller awaits it.
  opened.catch(() => {});

  function refuse(reason: AppError): void {
    state = 'closed';
    rejectOpened(reason);
  }

  function takeFirst(event: ExecEvent): void {
    if (event.kind === 'turn-started') refuse(codexTooOld());
    if (event.kind !== 'session') return;
    // 0.92 creates a new session for an unknown id; all versions do for an invalid one.
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

/** The error for 0.42 and earlier. */
function codexTooOld(): AppError {
  return new AppError(
    'START_FAILED',
    'This Codex is too old: it does not report its session id. Update it: npm install -g @openai/codex@latest',
  );
}
