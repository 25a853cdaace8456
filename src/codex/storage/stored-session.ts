import type { Item, TurnFailure } from '../item-types.ts';

export interface ListQuery {
  readonly workingDirectory?: string;
  readonly search?: string;
  readonly cursor?: string;
  readonly limit: number;
}

export interface SessionPage {
  readonly sessions: readonly StoredSessionInfo[];
  readonly nextCursor?: string;
}

export interface StoredSessionInfo {
  readonly sessionId: string;
  readonly directory?: string;
  readonly summary?: string;
  readonly name?: string;
  /** Time of last use, in ISO format. */
  readonly timestamp: string;
  /** The client that created the session: cli, vscode, exec, appServer… */
  readonly source?: string;
}

export interface ReadQuery {
  readonly sessionId: string;
  readonly cursor?: string;
  readonly limit: number;
}

/** A page of a session's turns, oldest first. */
export interface StoredSession extends StoredSessionInfo {
  readonly turns: readonly StoredTurn[];
  /** Cursor for the turns before these. */
  readonly nextCursor?: string;
}

export interface StoredTurn {
  readonly turnId: string;
  readonly status: 'completed' | 'interrupted' | 'failed' | 'running';
  readonly failure?: TurnFailure;
  readonly entries: readonly TranscriptEntry[];
}

export interface TranscriptEntry {
  readonly role: 'user' | 'codex';
  readonly type: Item['type'] | 'user_message';
  readonly text: string;
  readonly files?: Item['files'];
}
