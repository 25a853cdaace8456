import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { switchboard } from '../interop/programs.ts';
import type { ProcessTracker } from '../processes.ts';
import { type CommandName, commandRows, type MatrixCommand, type Subject } from './matrix-commands.ts';
import { findViolations, type Ran } from './matrix-invariants.ts';
import type { Testbed } from './testbed.ts';

export type OutputMode = 'piped' | 'json' | 'terminal';

const OUTPUT_MODES: readonly OutputMode[] = ['piped', 'json', 'terminal'];
/** Concurrency that suits a small machine. */
const AT_ONCE = 3;

export interface MatrixContext {
  readonly testbed: Testbed;
  readonly processes: ProcessTracker;
  /** Values that must never appear in output. */
  readonly secrets?: readonly string[];
}

/**
 * Runs these commands in every output mode that they support. Returns each command's exit status, followed by every
 * violation of the common rules. A table of plain statuses means that there are no violations.
 */
export async function runInEveryMode(
  names: readonly CommandName[],
  subject: Subject,
  context: MatrixContext,
): Promise<Readonly<Record<string, string>>> {
  const outcomes = new Map<CommandName, string[]>(names.map((name) => [name, []]));
  // Calls come last: one that ends the server would fail a command that is reading its lists.
  await runAll(names.filter((name) => name !== 'call'));
  await runAll(names.filter((name) => name === 'call'));
  return Object.fromEntries([...outcomes].map(([name, messages]) => [name, [...new Set(messages)].sort().join(' | ')]));

  async function runAll(chosen: readonly CommandName[]): Promise<void> {
    const cells = chosen.flatMap((name) => modesOf(commandRows[name]).map((way) => ({ name, way })));
    await Promise.all(Array.from({ length: AT_ONCE }, () => work(cells)));
  }

  async function work(cells: { readonly name: CommandName; readonly way: OutputMode }[]): Promise<void> {
    for (let cell = cells.shift(); cell !== undefined; cell = cells.shift()) {
      const command = commandRows[cell.name];
      if (command === undefined) continue;
      const ran = await runInMode(cell.way, command.words(subject), context);
      const violations = [...findViolations(ran, cell.way, command), ...leakedSecrets(ran, context)];
      outcomes.get(cell.name)?.push([ran.status, ...violations.map((breach) => `${cell.way}: ${breach}`)].join(' '));
    }
  }
}

function leakedSecrets({ stdout, stderr }: Ran, { secrets = [] }: MatrixContext): readonly string[] {
  const reported = secrets.filter((secret) => stdout.includes(secret) || stderr.includes(secret));
  return reported.map((secret) => `it reveals ${secret}`);
}

function modesOf(command: MatrixCommand | undefined): readonly OutputMode[] {
  if (command?.onTerminalAlone === true) return ['terminal'];
  return command?.isForShell === true ? ['piped', 'terminal'] : OUTPUT_MODES;
}

/** No input is typed, so a command that waits for input times out. */
export async function runInMode(
  way: OutputMode,
  words: readonly string[],
  { testbed, processes }: MatrixContext,
): Promise<Ran> {
  const { command, args } = switchboard(...words, ...(way === 'json' ? ['--json'] : []));
  const env = processes.env({ HOME: testbed.folder, SWITCHBOARD_HOME: testbed.path('own'), TMPDIR: testbed.folder });
  const options = { env, cwd: testbed.path('project'), stdio: 'pipe', timeout: LIMIT_MS } as const;
  const startedAt = performance.now();
  const line = [command, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  const started =
    way === 'terminal' ? spawn('script', ['-qec', line, '/dev/null'], options) : spawn(command, args, options);
  const chunks: { readonly stdout: Buffer[]; readonly stderr: Buffer[] } = { stdout: [], stderr: [] };
  started.stdout.on('data', (chunk: Buffer) => chunks.stdout.push(chunk));
  started.stderr.on('data', (chunk: Buffer) => chunks.stderr.push(chunk));
  const [status] = await once(started, 'close');
  return {
    status,
    stdout: Buffer.concat(chunks.stdout).toString(),
    stderr: Buffer.concat(chunks.stderr).toString(),
    ms: performance.now() - startedAt,
  };
}

const LIMIT_MS = 55_000;
