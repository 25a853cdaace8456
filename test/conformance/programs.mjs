// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const cli = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const fixtureServer = fileURLToPath(new URL('./fixture-server.mjs', import.meta.url));

const START_MS = 60_000;
/** Longer than a server with HTTP clients needs to end its streams. */
const STOP_MS = 20_000;

/** The arguments for Node that run the fixture server on stdio. */
export const fixtureArgs = [fixtureServer];

/** Runs the fixture server over HTTP while `use` runs. @template Result @param {(url: string) => Promise<Result>} use */
export function withFixtureServer(use) {
  return withProgram({ args: [...fixtureArgs, '--http'], env: process.env }, /^(http\S+)\n/, use);
}

/**
 * Runs `switchboard` with an option `--http 0` while `use` runs, in a home of its own. `toArgs` may write files to the
 * folder that it is given.
 * @template Result
 * @param {(folder: string) => readonly string[]} toArgs
 * @param {(url: string) => Promise<Result>} use
 */
export async function withSwitchboard(toArgs, use) {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-conformance-'));
  const home = join(folder, 'home');
  mkdirSync(home);
  const env = { ...process.env, HOME: home, SWITCHBOARD_HOME: join(folder, 'own') };
  try {
    return await withProgram({ args: [cli, ...toArgs(folder)], env, cwd: home }, /Listening on (\S+)\. /, use);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Runs a program until `use` is done. Its output contains its URL.
 * @template Result
 * @param {{ args: readonly string[], env: NodeJS.ProcessEnv, cwd?: string }} program
 * @param {RegExp} urlPattern
 * @param {(url: string) => Promise<Result>} use
 */
async function withProgram({ args, env, cwd }, urlPattern, use) {
  const running = spawn(process.execPath, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(running, 'close');
  let output = '';
  /** @type {Promise<string>} */
  const started = new Promise((resolve, reject) => {
    const read = (/** @type {string} */ chunk) => {
      output += chunk;
      const url = urlPattern.exec(output)?.[1];
      if (url !== undefined) resolve(url);
    };
    running.stdout.setEncoding('utf8').on('data', read);
    running.stderr.setEncoding('utf8').on('data', read);
    const fail = () => reject(new Error(`${args.join(' ')} did not start: ${output}`));
    setTimeout(fail, START_MS).unref();
    void exited.then(fail);
  });
  try {
    return await use(await started);
  } finally {
    running.kill('SIGTERM');
    const timer = setTimeout(() => running.kill('SIGKILL'), STOP_MS);
    await exited;
    clearTimeout(timer);
  }
}
