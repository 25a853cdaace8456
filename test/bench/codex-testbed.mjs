// @ts-check
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { finish, startNode } from './process.mjs';

const MODEL = fileURLToPath(new URL('servers/codex-model.mjs', import.meta.url));
// Not the system's temporary folder: Codex warns about a home there.
const TEMPORARY = fileURLToPath(new URL('../.tmp/', import.meta.url));

/**
 * The folders for one side of a comparison: a CODEX_HOME that uses only the scripted model, and a working folder.
 * @typedef {{ workDir: string, env: Record<string, string | undefined> }} CodexHome
 */

/** The native binary of the installed Codex; undefined if there is none for this platform. */
export const codexProgram = findProgram();

/** Runs `use` with a scripted model and any number of homes. Removes everything afterward.
 * @template Result @param {(createHome: () => CodexHome) => Promise<Result>} use @returns {Promise<Result>} */
export async function withCodex(use) {
  const model = startNode([MODEL]);
  mkdirSync(TEMPORARY, { recursive: true });
  const root = mkdtempSync(join(TEMPORARY, 'bench-'));
  try {
    const [line] = model.stdout === null ? [''] : await once(model.stdout, 'data');
    const url = String(line).trim();
    let homes = 0;
    return await use(() => createHome(join(root, String(++homes)), url));
  } finally {
    await finish(model);
    rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
}

/** @param {string} root @param {string} modelUrl @returns {CodexHome} */
function createHome(root, modelUrl) {
  const codexDir = join(root, 'codex');
  const workDir = join(root, 'work');
  for (const folder of [codexDir, workDir]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(codexDir, 'config.toml'), config(modelUrl));
  const { PATH } = process.env;
  return {
    workDir,
    env: {
      PATH,
      LANG: 'C.UTF-8',
      HOME: root,
      // Next to the working folder, because sessions must not work in Switchboard's own folders.
      SWITCHBOARD_HOME: join(root, 'switchboard'),
      CODEX_HOME: codexDir,
      CODEX_CLI_PATH: codexProgram,
    },
  };
}

/** @param {string} modelUrl */
function config(modelUrl) {
  return `model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false
# The folder lies in our repository; Codex must not take that for its project.
project_root_markers = []
analytics = { enabled = false }
# Both would look for public hosts.
features = { plugins = false, apps = false }

[model_providers.scripted]
name = "scripted"
base_url = "${modelUrl}"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
`;
}

function findProgram() {
  try {
    const manifest = createRequire(import.meta.url).resolve('@openai/codex/package.json');
    const name = `@openai/codex-${process.platform}-${process.arch}/package.json`;
    const vendor = join(dirname(createRequire(manifest).resolve(name)), 'vendor');
    const [target] = readdirSync(vendor);
    return target === undefined ? undefined : join(vendor, target, 'bin', 'codex');
  } catch {
    // Not installed, or installed with a different layout. The callers report it.
    return undefined;
  }
}
