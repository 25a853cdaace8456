import { type CodexVersion, readCodexVersion } from './codex-version.ts';
import { runBriefly } from './run-briefly.ts';

/** Asks a Codex for its version; undefined if the answer has none. */
export async function readVersion(
  program: Parameters<typeof runBriefly>[0],
  options: Omit<Parameters<typeof runBriefly>[1], 'args'>,
): Promise<CodexVersion | undefined> {
  const { stdout } = await runBriefly(program, { ...options, args: ['--version'] });
  return readCodexVersion(stdout);
}
