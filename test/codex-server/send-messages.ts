import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { JsonObject } from '../codex/json.ts';

const main = join(import.meta.dirname, '..', '..', 'dist', 'cli', 'main.js');

/** Sends these messages to `switchboard codex`, closes stdin, and returns all responses. */
export async function sendMessages(
  env: Record<string, string>,
  args: readonly string[],
  say: readonly JsonObject[],
): Promise<readonly JsonObject[]> {
  const started = spawn(process.execPath, [main, 'codex', ...args], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  started.stdin.end(say.map((message) => `${JSON.stringify(message)}\n`).join(''));
  const lines = (await text(started.stdout)).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line));
}
