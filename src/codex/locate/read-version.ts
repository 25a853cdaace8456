import { runBriefly } from './codex-command.ts';
import { type CodexVersion, readCodexVersion } from './codex-version.ts';

/** Asks a Codex for its version; undefined if the answer has none. */
export async function readVersion(
  program: Parameters<typeof runBriefly>[0],
  options: Omit<Parameters<typeof runBriefly>[1], 'args'>,
): Promise<CodexVersion | undefined> {
  const { stdout } = await runBriefly(program, { ...options, args: ['--version'] });
  return readCodexVersion(stdout);
}
