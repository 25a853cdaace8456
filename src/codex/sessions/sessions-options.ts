import type { ApprovalOptions } from '../approvals/approvals.ts';
import type { Engine, EngineListener } from '../engine.ts';
import type { FolderRegistry } from '../limits/folder-registry.ts';
import type { TreeTracker } from '../working-tree/tree-tracker.ts';

export interface SessionsOptions {
  readonly createEngine: (listener: EngineListener) => Engine;
  /** How many sessions may have a running turn. */
  readonly maxSessions: number;
  /** How many events a session remembers. */
  readonly maxEvents: number;
  readonly approvals: Pick<ApprovalOptions, 'timeoutMs' | 'deciders' | 'allowsPermanent'>;
  /** Detects changes in the sessions' folders while turns run. Without it, only Codex reports changes. */
  readonly treeTracker?: TreeTracker;
  readonly log: SessionsLog;
  /** Keeps sessions from replacing each other's folders. */
  readonly isolatesFolders?: boolean;
  /** The folders that sessions of other servers use. */
  readonly folderRegistry?: FolderRegistry;
  /** Receives every notification of the engine unchanged. */
  readonly onNotification?: NonNullable<EngineListener['notification']>;
}

export interface SessionsLog {
  debug(text: string): void;
  info(text: string): void;
  warn(text: string): void;
}
