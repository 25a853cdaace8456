// @ts-check
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { stringify } from 'smol-toml';

/** The repository. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** @typedef {ReturnType<typeof openHome>} Home */

/**
 * Opens the home of a user who works in the folder `project`. It shares nothing with the home of the real user.
 *
 * @param {{ readonly main: string, readonly project: string }} options
 */
export function openHome({ main, project }) {
  // As long as SHOWN_HOME, because the width of columns and the wrapping of lines depend on it.
  const folder = mkdtempSync('/tmp/');
  const path = (/** @type {string[]} */ ...names) => join(folder, ...names);
  const cwd = path(project);
  const env = environmentFor(process.env, folder);
  mkdirSync(cwd);
  symlinkSync(join(root, 'examples'), path(project, 'examples'));
  /** @type {(() => void | Promise<void>)[]} */
  const closers = [];
  return {
    ...{ folder, path, cwd, env, main },
    /** Writes a file: text, or an object as JSON or TOML. @param {string} name @param {string | object} content */
    write(name, content, { mode = 0o644 } = {}) {
      const text = typeof content === 'string' ? content : format(name, content);
      mkdirSync(dirname(path(name)), { recursive: true, mode: 0o700 });
      writeFileSync(path(name), text);
      chmodSync(path(name), mode);
    },
    /** Runs `switchboard` without a terminal and returns its stdout. @param {string[]} args */
    async run(...args) {
      const { stdout } = await promisify(execFile)(process.execPath, [main, ...args], { cwd, env, timeout: 60_000 });
      return stdout;
    },
    /** Registers what must be closed before the home is removed. @param {() => void | Promise<void>} close */
    onClose: (close) => void closers.push(close),
    async close() {
      for (const close of closers.reverse()) await close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** @param {string} name @param {object} content */
function format(name, content) {
  return name.endsWith('.toml') ? stringify(content) : `${JSON.stringify(content, null, 2)}\n`;
}

/**
 * Returns an environment without the settings of the real user, in which the commands of our packages can be typed.
 *
 * @param {NodeJS.ProcessEnv} own @param {string} home @returns {NodeJS.ProcessEnv}
 */
function environmentFor(own, home) {
  const isForeign = (/** @type {string} */ name) =>
    /^(WRAPPER_|MCP_WRAPPER|CODEX_|OPENAI_|XDG_|DEBUG$|NO_COLOR$|FORCE_COLOR$)/.test(name) ||
    (name.startsWith('SWITCHBOARD_') && !name.endsWith('MARK'));
  return {
    ...Object.fromEntries(Object.entries(own).filter(([name]) => !isForeign(name))),
    ...{ HOME: home, TZ: 'UTC', LANG: 'C.UTF-8', TERM: 'xterm' },
    PATH: [dirname(process.execPath), join(root, 'node_modules/.bin'), own['PATH'] ?? ''].join(delimiter),
  };
}
