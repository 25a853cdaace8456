// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** @typedef {{ readonly wait: RegExp, readonly type?: string, readonly isMoment?: boolean, onReached?(): void }} Step */

/**
 * Runs a program on a pseudo-terminal until it exits, types the input of each step, and returns its output: all of
 * it, or the output up to the step with `isMoment`.
 *
 * @param {readonly string[]} command
 * @param {{ cwd: string, env: NodeJS.ProcessEnv, columns: number, rows: number, steps?: readonly Step[], withinMs: number }} options
 */
export async function runOnTerminal(command, { cwd, env, columns, rows, steps = [], withinMs }) {
  const line = `stty cols ${columns} rows ${rows}; exec ${command.map(shellWord).join(' ')}`;
  const started = spawn('script', ['-qec', line, '/dev/null'], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
  const stop = setTimeout(() => started.kill('SIGKILL'), withinMs);
  let text = '';
  let next = 0;
  let from = 0;
  /** @type {string | undefined} */
  let moment;
  started.stdout.setEncoding('utf8').on('data', (/** @type {string} */ piece) => {
    text += piece;
    for (let step = steps[next]; step !== undefined; step = steps[next]) {
      const found = step.wait.exec(text.slice(from));
      if (found === null) return;
      from += found.index + found[0].length;
      next++;
      if (step.isMoment === true) moment = text.slice(0, from);
      step.onReached?.();
      started.stdin.write(step.type ?? '');
    }
  });
  const [status, signal] = await once(started, 'close');
  clearTimeout(stop);
  if (signal !== null) throw new Error(`${command.join(' ')} took longer than ${withinMs} ms:\n${text}`);
  if (next < steps.length) throw new Error(`${command.join(' ')} never printed ${String(steps[next]?.wait)}:\n${text}`);
  return { text: moment ?? text, status: Number(status) };
}

/** @param {string} word */
function shellWord(word) {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
