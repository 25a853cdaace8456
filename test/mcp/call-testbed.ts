import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { switchboard } from '../interop/programs.ts';
import type { ProcessTracker } from '../processes.ts';
import type { Testbed } from './testbed.ts';

const base = fileURLToPath(new URL('../fixtures/mcp-base.mjs', import.meta.url));

/**
 * A server written for one test. `body` may use `serve`, `text` and `note`, which records a line for the test.
 */
export function ownServer(
  testbed: Testbed,
  body: string,
): { readonly command: string; readonly args: readonly string[] } {
  const head = [
    `import { serve, text } from ${JSON.stringify(base)};`,
    `import { appendFileSync } from 'node:fs';`,
    `const note = (line) => appendFileSync(${JSON.stringify(testbed.path('noted'))}, line + '\\n');`,
  ];
  return { command: process.execPath, args: [testbed.write('server.mjs', [...head, body].join('\n'))] };
}

/** Returns the lines that the server has recorded. */
export function recordedLines(testbed: Testbed): readonly string[] {
  return testbed.exists('noted') ? testbed.read('noted').split('\n').slice(0, -1) : [];
}

/** Text to type when this output appears, immediately or after a delay. */
export type Turn = readonly [shown: string, typed: string, afterMs?: number];

/**
 * Runs `switchboard mcp <args>` on a pseudo-terminal with scripted input. Each turn waits for output
 * after the previous turn.
 */
export async function typeOnTerminal(
  testbed: Testbed,
  processes: ProcessTracker,
  { args, turns = [] }: { readonly args: readonly string[]; readonly turns?: readonly Turn[] },
): Promise<{ readonly status: number; readonly shown: string }> {
  const { command, args: all } = switchboard('mcp', ...args);
  const line = [command, ...all].map((word) => `'${word}'`).join(' ');
  const env = processes.env({ HOME: testbed.folder, SWITCHBOARD_HOME: testbed.path('own'), TMPDIR: testbed.folder });
  const cwd = testbed.path('project');
  const started = spawn('script', ['-qec', line, '/dev/null'], { env, cwd, stdio: 'pipe', timeout: 55_000 });
  const rest = [...turns];
  let shown = '';
  let seen = 0;
  started.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    shown += chunk;
    for (let [turn] = rest; turn !== undefined && shown.includes(turn[0], seen); [turn] = rest) {
      rest.shift();
      seen = shown.indexOf(turn[0], seen) + turn[0].length;
      const [, typed, afterMs = 0] = turn;
      setTimeout(() => started.stdin.write(typed), afterMs);
    }
  });
  const [status] = await once(started, 'close');
  return { status: Number(status), shown };
}

/** Starts `switchboard mcp <args>` with pipes and does not wait for it. */
export function startCall(testbed: Testbed, processes: ProcessTracker, args: readonly string[]) {
  const { command, args: all } = switchboard('mcp', ...args);
  const env = processes.env({ HOME: testbed.folder, SWITCHBOARD_HOME: testbed.path('own') });
  const started = spawn(command, all, { env, cwd: testbed.path('project'), stdio: 'pipe', timeout: 55_000 });
  let stderr = '';
  started.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  started.stdout.resume();
  const ended = once(started, 'close').then(([status, signal]) => ({ status, signal, stderr }));
  return { interrupt: () => started.kill('SIGINT'), ended };
}
