import type { Processes } from '../../base/process/processes.ts';
import { runCommand } from '../../base/process/run-command.ts';
import { type CodexVersion, parseCodexVersion } from './codex-version.ts';
import type { CodexProgram } from './find-codex.ts';

interface CommandOptions {
  readonly processes: Pick<Processes, 'spawn'>;
  readonly args: readonly string[];
  readonly cwd: string;
}

/** Runs `codex --version`. Returns undefined if the output contains no version. */
export async function readVersion(
  program: Pick<CodexProgram, 'command' | 'args' | 'env'>,
  options: Omit<CommandOptions, 'args'>,
): Promise<CodexVersion | undefined> {
  const { stdout } = await runCodexCommand(program, { ...options, args: ['--version'] });
  return parseCodexVersion(stdout);
}

/** Runs a Codex command that prints something and exits, for example `--version`. */
export function runCodexCommand(
  { command, args, env }: Pick<CodexProgram, 'command' | 'args' | 'env'>,
  { processes, args: commandArgs, cwd }: CommandOptions,
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  return runCommand({ command, args: [...args, ...commandArgs], env }, { processes, cwd });
}
