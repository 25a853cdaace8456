// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('./fixture-server.mjs', import.meta.url));
const START_MS = 30_000;

/** Runs the fixture server over HTTP while `use` runs. @template Result @param {(url: string) => Promise<Result>} use */
export async function withFixtureServer(use) {
  const server = spawn(process.execPath, [program, '--http'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(server, 'exit');
  try {
    const lines = createInterface({ input: server.stdout });
    const [url] = await once(lines, 'line', { signal: AbortSignal.timeout(START_MS) });
    return await use(url);
  } finally {
    server.kill('SIGKILL');
    await exited;
  }
}
