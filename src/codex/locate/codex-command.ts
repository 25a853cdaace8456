import type { Processes } from '../../base/process/processes.ts';
import { type CodexVersion, parseCodexVersion } from './codex-version.ts';
import type { CodexProgram } from './find-codex.ts';

interface CommandOptions {
  readonly processes: Pick<Processes, 'spawn'>;
  readonly args: readonly string[];
  readonly cwd: string;
}

/** Codex responds to such commands at once. A command that hangs is stopped. */
const TIMEOUT_MS = 10_000;

/** Runs `codex --version`. Returns undefined if the output contains no version. */
export async function readVersion(
  program: Pick<CodexProgram, 'command' | 'args' | 'env'>,
  options: Omit<CommandOptions, 'args'>,
): Promise<CodexVersion | undefined> {
  const { stdout } = await runCodexCommand(program, { ...options, args: ['--version'] });
  return parseCodexVersion(stdout);
}

/** Runs a Codex command that prints something and exits, for example `--version`. */
export async function runCodexCommand(
  { command, args, env }: Pick<CodexProgram, 'command' | 'args' | 'env'>,
  { processes, args: commandArgs, cwd }: CommandOptions,
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const running = await processes.spawn({ command, args: [...args, ...commandArgs], env, cwd });
  const timer = setTimeout(() => void running.stop(), TIMEOUT_MS);
  const chunks: Buffer[] = [];
  running.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  running.stdin.end();
  await running.exited;
  clearTimeout(timer);
  await running.stop();
  return { stdout: Buffer.concat(chunks).toString('utf8'), stderr: running.stderrTail().join('\n') };
}
