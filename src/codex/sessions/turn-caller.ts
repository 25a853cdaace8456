import type { PermissionCheck, SessionSettings } from '../engine.ts';
import type { SettingsOrigin } from '../limits/turn-permissions.ts';
import type { PromptedCaller, QueuedMessage, Session } from './session.ts';

/** The caller that drives a turn. It may be prompted, and it may cancel before the turn has begun. */
export interface TurnCaller extends PromptedCaller {
  readonly signal?: AbortSignal;
  readonly check?: PermissionCheck;
  /** Called as soon as the session is known, before any of its events arrive. */
  readonly onSession?: (session: Session) => void;
}

export interface ForkOptions {
  readonly check?: PermissionCheck;
  /** The last turn that the fork includes. Without it, the fork includes all turns. */
  readonly lastTurnId?: string;
  /** The settings with which an earlier run of this server started the session. */
  readonly settings?: SessionSettings;
}

export interface SayOptions extends TurnCaller, Pick<QueuedMessage, 'onAccepted'> {
  readonly onBusy: 'error' | 'steer' | 'queue';
  readonly onConflict: 'error' | 'fork';
  /** The settings with which an earlier run of this server started the session, and their origin. */
  readonly settings?: SessionSettings;
  readonly origin?: SettingsOrigin;
}

export interface SayResult {
  readonly session: Session;
  readonly delivery: 'started' | 'steered' | 'queued' | 'forked';
  /** Removes the queued message. Only set if `delivery` is `queued`. */
  readonly cancelQueued?: () => void;
}
