import { runCodexCommand } from './codex-command.ts';
import { type CodexVersion, parseCodexVersion } from './codex-version.ts';

/** Asks a Codex for its version; undefined if the answer has none. */
export async function readVersion(
  program: Parameters<typeof runCodexCommand>[0],
  options: Omit<Parameters<typeof runCodexCommand>[1], 'args'>,
): Promise<CodexVersion | undefined> {
  const { stdout } = await runCodexCommand(program, { ...options, args: ['--version'] });
  return parseCodexVersion(stdout);
}
