import { runCodexCommand } from './codex-command.ts';
import { type CodexVersion, parseCodexVersion } from './codex-version.ts';

/** Runs `codex --version`. Returns undefined if the output contains no version. */
export async function readVersion(
  program: Parameters<typeof runCodexCommand>[0],
  options: Omit<Parameters<typeof runCodexCommand>[1], 'args'>,
): Promise<CodexVersion | undefined> {
  const { stdout } = await runCodexCommand(program, { ...options, args: ['--version'] });
  return parseCodexVersion(stdout);
}
