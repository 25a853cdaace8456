import type { ApprovalOptions } from '../approvals/approvals.ts';
import type { Engine, EngineListener } from '../engine.ts';
import type { FolderClaimsOptions } from '../limits/folder-claims.ts';
import type { TreeTracker } from '../working-tree/tree-tracker.ts';

export interface SessionsOptions {
  readonly createEngine: (listener: EngineListener) => Engine;
  readonly limits: SessionCountLimits;
  readonly approvals: Pick<ApprovalOptions, 'timeoutMs' | 'deciders' | 'allowsPermanent'>;
  /** Detects changes in the sessions' folders while turns run. Without it, only Codex reports changes. */
  readonly treeTracker?: TreeTracker;
  readonly log: SessionsLog;
  /** Keeps sessions from replacing each other's folders. Without it, they may. */
  readonly folderClaims?: Pick<FolderClaimsOptions, 'isEnforced' | 'registry'>;
  /** Receives every notification of the engine unchanged. */
  readonly onNotification?: NonNullable<EngineListener['notification']>;
}

export interface SessionCountLimits {
  /** How many sessions may have a running turn. */
  readonly maxSessions: number;
  /** How many turns of other servers in this process are running or starting. They count as well. Default: none. */
  readonly countElsewhere?: (() => number) | undefined;
  /** How many events a session remembers. */
  readonly maxEvents: number;
}

export interface SessionsLog {
  debug(text: string): void;
  info(text: string): void;
  warn(text: string): void;
}
