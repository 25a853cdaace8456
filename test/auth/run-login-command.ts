import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toExit } from '../../src/base/error-translation.ts';
import type { mcpLogin } from '../../src/cli/mcp/login/command.ts';
import { ID, type Testbed } from './login-harness.ts';

/** The output and exit status of a command. */
export interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Input = NonNullable<Parameters<typeof mcpLogin>[2]>;

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: Input;
  /** Called for each line of stderr. */
  readonly onTalk?: (line: string) => void;
}

/** Runs a command as `cli/command-line.ts` does, in a new folder next to this user's config. */
export async function runCommand(
  command: typeof mcpLogin,
  testbed: Testbed,
  args: readonly string[],
  { env = {}, input = noTerminal(), onTalk }: RunOptions = {},
): Promise<Ended> {
  const [answers, complaints]: string[][] = [[], []];
  const complain = (text: string) => {
    complaints?.push(text);
    onTalk?.(text);
  };
  const output = { answer: (text: string) => void answers?.push(text), report: complain };
  const all = { ...testbed.testEnvironment.env, PATH: process.env['PATH'], ...env };
  const before = process.exitCode;
  try {
    process.exitCode = 0;
    await command(args, { output, env: all, cwd: projectOf(testbed), home: testbed.folder }, input);
    return ended(Number(process.exitCode));
  } catch (error) {
    const { status, text } = toExit(error, { json: args.includes('--json') });
    complain(text);
    return ended(status);
  } finally {
    process.exitCode = before;
  }

  function ended(status: number): Ended {
    return { status, stdout: answers?.join('\n') ?? '', stderr: complaints?.join('\n') ?? '' };
  }
}

/** The global config of this user. */
export function writeConfig(testbed: Testbed, servers: Readonly<Record<string, unknown>> = {}): void {
  const all = { [ID]: { transport: 'http', url: testbed.server.url }, ...servers };
  writeFileSync(join(testbed.folder, 'config.json'), JSON.stringify({ version: 1, mcp: { servers: all } }, null, 2));
}

export function projectOf(testbed: Testbed): string {
  const folder = join(testbed.folder, 'project');
  mkdirSync(folder, { recursive: true });
  return folder;
}

export function noTerminal(): Input {
  return { isTTY: false } as Input;
}
