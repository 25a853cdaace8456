import type { ApprovalPrompter } from '../approvals/prompter.ts';
import type { PermissionCheck, SessionSettings } from '../engine.ts';
import type { Session } from './session.ts';

/** Whoever drives a turn: may be asked, and may give up before it has begun. */
export interface TurnCaller {
  readonly prompter: ApprovalPrompter | undefined;
  readonly signal?: AbortSignal;
  readonly check?: PermissionCheck;
  /** Called as soon as it is known which session it is, before anything is heard of it. */
  readonly onSession?: (session: Session) => void;
}

export interface ForkOptions {
  readonly check?: PermissionCheck;
  /** The last turn that the fork knows; all of them when not given. */
  readonly lastTurnId?: string;
  /** The settings with which an earlier run of this server started the session. */
  readonly settings?: SessionSettings;
}

export interface SayOptions extends TurnCaller {
  readonly onBusy: 'error' | 'steer' | 'queue';
  readonly onConflict: 'error' | 'fork';
  /** The settings with which an earlier run of this server started the session. */
  readonly settings?: SessionSettings;
}

export interface SayResult {
  readonly session: Session;
  readonly delivery: 'started' | 'steered' | 'queued' | 'forked';
  /** For a queued message: it is not to be sent any more. */
  readonly cancelQueued?: () => void;
}
