import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { json, text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const judge = (path: string) => fileURLToPath(new URL(`node_modules/${path}`, import.meta.url));

/** Runs the official Inspector as a command-line client of a stdio server, and returns its answer. */
export async function inspect(options: {
  readonly method: readonly string[];
  readonly server: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}): Promise<unknown> {
  const inspector = '@modelcontextprotocol/inspector';
  const { bin } = JSON.parse(readFileSync(judge(`${inspector}/package.json`), 'utf8'));
  const args = ['--cli', '--method', ...options.method, '--format', 'json', '-q', '--', ...options.server];
  const process = spawn(judge('node/bin/node'), [judge(`${inspector}/${bin['mcp-inspector']}`), ...args], {
    // The Inspector passes on HOME and little else. A temporary HOME keeps the server's files out of the user's.
    env: { ...options.env, HOME: options.env['SWITCHBOARD_HOME'] },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 100_000,
  });
  const [answer, complaints, [code]] = await Promise.all([
    json(process.stdout).catch((error: unknown) => error),
    text(process.stderr),
    once(process, 'exit'),
  ]);
  if (code !== 0) throw new Error(`The Inspector ended with status ${code}: ${complaints}`);
  return answer;
}
