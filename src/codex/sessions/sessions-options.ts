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
  /** Finds out what changes in the folders of sessions while their turns run; without it Codex alone tells. */
  readonly treeTracker?: TreeTracker;
  readonly log: SessionsLog;
  /** Sessions are kept from replacing each other's folders. */
  readonly isolatesFolders?: boolean;
  /** The folders that sessions of other servers use. */
  readonly folderRegistry?: FolderRegistry;
  /** Hears every notification of the engine as it came. */
  readonly onNotification?: NonNullable<EngineListener['notification']>;
}

export interface SessionsLog {
  debug(text: string): void;
  info(text: string): void;
  warn(text: string): void;
}
