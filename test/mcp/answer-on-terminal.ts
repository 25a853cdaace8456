import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { switchboard } from '../interop/programs.ts';
import type { ProcessTracker } from '../processes.ts';
import type { Testbed } from './testbed.ts';

/**
 * Runs `switchboard mcp <args>`, or another command, on a pseudo-terminal and types the answer when `question` appears.
 * `script` runs the program on such a terminal and copies its output to stdout.
 */
export async function answerOnTerminal(
  testbed: Testbed,
  processes: ProcessTracker,
  {
    command: verb = 'mcp',
    args,
    question,
    answer,
  }: {
    readonly command?: string;
    readonly args: readonly string[];
    readonly question: string;
    readonly answer: string;
  },
): Promise<{ readonly status: number; readonly shown: string }> {
  const { command, args: all } = switchboard(verb, ...args);
  const line = [command, ...all].map((word) => `'${word}'`).join(' ');
  const env = processes.env({ HOME: testbed.folder, SWITCHBOARD_HOME: testbed.path('own') });
  const cwd = testbed.path('project');
  const started = spawn('script', ['-qec', line, '/dev/null'], { env, cwd, stdio: 'pipe', timeout: 55_000 });
  let shown = '';
  let isAnswered = false;
  started.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    shown += chunk;
    if (isAnswered || !shown.includes(question)) return;
    isAnswered = true;
    // A Ctrl key takes effect immediately. A newline after it would obscure which of the two ended the line.
    started.stdin.write(answer === '\u0003' || answer === '\u0004' ? answer : `${answer}\n`);
  });
  const [status] = await once(started, 'close');
  return { status: Number(status), shown };
}
