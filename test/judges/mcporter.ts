import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const judge = (path: string) => fileURLToPath(new URL(`node_modules/${path}`, import.meta.url));

/** Calls a tool of an HTTP server with mcporter, and returns what it prints. */
export async function callWithMcporter(options: {
  readonly url: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  /** Without a config of mcporter. */
  readonly cwd: string;
}): Promise<string> {
  const { url, tool, args, env, cwd } = options;
  const target = ['--http-url', url, '--allow-http', '--no-oauth', '--tool', tool, '--args', JSON.stringify(args)];
  const process = spawn(judge('node/bin/node'), [judge('mcporter/dist/cli.js'), 'call', ...target], {
    env: { ...env, HOME: cwd },
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 100_000,
  });
  const [answer, complaints, [code]] = await Promise.all([
    text(process.stdout),
    text(process.stderr),
    once(process, 'exit'),
  ]);
  if (code !== 0) throw new Error(`mcporter ended with status ${code}: ${complaints}`);
  return answer;
}
