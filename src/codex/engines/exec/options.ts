import type { Processes } from '../../../base/process/processes.ts';
import type { LimitConfig } from '../../engine.ts';

export interface ExecOptions {
  readonly processes: Processes;
  /** Finds the program of Codex, for each turn. Further arguments follow its `args`. */
  readonly program: () => Promise<ExecProgram>;
  readonly folders: ExecFolders;
  readonly log: { debug(text: string): void; warn(text: string): void };
  /** Nested configuration for every run. */
  readonly extraConfig?: () => Promise<Readonly<Record<string, unknown>>>;
  /** The operator's limits, if there are any. */
  readonly limits?: ExecLimits;
}

interface ExecFolders {
  readonly codexHome: string;
  /** The home folder of the user. */
  readonly home: string;
  /** Folder for files that Codex needs for one turn. Not a temporary folder, because sessions may write to those. */
  readonly scratch: string;
  /** The working folder of a session that does not set one. */
  readonly cwd: string;
}

interface ExecLimits {
  readonly config: LimitConfig;
  /** The temporary folders that the limits leave open. They may change between turns. */
  readonly openTempFolders: () => readonly string[];
}

export interface ExecProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}
