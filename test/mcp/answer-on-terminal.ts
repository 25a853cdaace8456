import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { switchboard } from '../interop/programs.ts';
import type { ProcessTracker } from '../processes.ts';
import type { Testbed } from './testbed.ts';

interface Answer {
  readonly question: string;
  readonly answer: string;
}

interface TerminalOptions extends Answer {
  readonly command?: string;
  readonly args: readonly string[];
  /** Questions that follow, each of which appears after the answer to the one before. */
  readonly then?: readonly Answer[];
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs `switchboard mcp <args>`, or another command, on a pseudo-terminal and types the answer when `question` appears.
 * `script` runs the program on such a terminal and copies its output to stdout.
 */
export async function answerOnTerminal(
  testbed: Testbed,
  processes: ProcessTracker,
  { command: verb = 'mcp', args, question, answer, then = [], env: extra = {} }: TerminalOptions,
): Promise<{ readonly status: number; readonly shown: string }> {
  const { command, args: all } = switchboard(verb, ...args);
  const line = [command, ...all].map((word) => `'${word}'`).join(' ');
  const env = processes.env({ HOME: testbed.folder, SWITCHBOARD_HOME: testbed.path('own'), ...extra });
  const cwd = testbed.path('project');
  const started = spawn('script', ['-qec', line, '/dev/null'], { env, cwd, stdio: 'pipe', timeout: 55_000 });
  let shown = '';
  let answered = 0;
  const left = [{ question, answer }, ...then];
  started.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    shown += chunk;
    const [next] = left;
    const at = next === undefined ? -1 : shown.indexOf(next.question, answered);
    if (next === undefined || at === -1) return;
    answered = at + next.question.length;
    left.shift();
    // A Ctrl key takes effect immediately. A newline after it would obscure which of the two ended the line.
    const isKey = next.answer === '\u0003' || next.answer === '\u0004';
    started.stdin.write(isKey ? next.answer : `${next.answer}\n`);
  });
  const [status] = await once(started, 'close');
  return { status: Number(status), shown };
}
