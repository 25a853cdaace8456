import type { Processes } from '../../../base/process/processes.ts';

export interface ExecOptions {
  readonly processes: Processes;
  /** How Codex is started, found out for each turn; what we ask of it comes after `args`. */
  readonly program: () => Promise<{
    readonly command: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string | undefined>>;
  }>;
  readonly codexHome: string;
  /** Where Codex works when a session does not say it. */
  readonly cwd: string;
  readonly log: { debug(text: string): void; warn(text: string): void };
  /** Configuration that every run in this folder gets, nested. */
  readonly extraConfig?: (cwd: string) => Promise<Readonly<Record<string, unknown>>>;
}
