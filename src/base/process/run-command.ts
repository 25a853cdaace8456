import type { Processes } from './processes.ts';
import type { SpawnOptions } from './spawn.ts';

interface RunOptions {
  readonly processes: Pick<Processes, 'spawn'>;
  readonly cwd: string;
}

/** Commands that print something and exit respond at once. One that hangs is stopped. */
const TIMEOUT_MS = 10_000;

/** Runs a command that prints something and exits, for example `--version`. Its stdin is empty. */
export async function runCommand(
  command: Pick<SpawnOptions, 'command' | 'args' | 'env'>,
  { processes, cwd }: RunOptions,
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const running = await processes.spawn({ ...command, cwd });
  const timer = setTimeout(() => void running.stop(), TIMEOUT_MS);
  const chunks: Buffer[] = [];
  running.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  running.stdin.end();
  await running.exited;
  clearTimeout(timer);
  await running.stop();
  return { stdout: Buffer.concat(chunks).toString('utf8'), stderr: running.stderrTail().join('\n') };
}
