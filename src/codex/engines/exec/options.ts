import type { Processes } from '../../../base/process/processes.ts';
import type { LimitConfig } from '../../engine.ts';

export interface ExecOptions {
  readonly processes: Processes;
  /** How Codex is started, found out for each turn; what we ask of it comes after `args`. */
  readonly program: () => Promise<ExecProgram>;
  readonly codexHome: string;
  /** The home folder of the user. */
  readonly home: string;
  /** For files that Codex is given for one turn. Not a temporary folder: sessions may write to those. */
  readonly scratchFolder: string;
  /** Where Codex works when a session does not say it. */
  readonly cwd: string;
  readonly log: { debug(text: string): void; warn(text: string): void };
  /** Configuration that every run gets, nested. */
  readonly extraConfig?: () => Promise<Readonly<Record<string, unknown>>>;
  /** The operator's limits, where there are any. */
  readonly limits?: LimitConfig;
  /** The temporary folders that the limits leave open. They may change between turns. */
  readonly openTempFolders?: () => readonly string[];
}

export interface ExecProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}
