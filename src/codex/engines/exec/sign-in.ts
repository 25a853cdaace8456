import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { SessionSettings } from '../../engine.ts';
import { runCodexCommand } from '../../locate/codex-command.ts';
import { readCodexToml } from '../../settings/codex-config.ts';
import { mergeConfig } from '../../settings/merge-config.ts';
import { needsSignIn, notSignedInError } from '../sign-in.ts';
import type { ExecOptions } from './options.ts';

/**
 * Refuses a session that would fail after some seconds of retries because the user is not signed in. `codex exec`
 * accepts CODEX_API_KEY instead of a sign-in. If the state is uncertain, the session is attempted.
 */
export async function assertSignedIn(settings: SessionSettings, cwd: string, options: ExecOptions): Promise<void> {
  const { codexHome } = options.folders;
  if (await exists(join(codexHome, 'auth.json'))) return;
  const program = await options.program();
  if ((program.env['CODEX_API_KEY'] ?? '') !== '') return;
  const user = await readCodexToml(codexHome, 'config.toml').catch(() => undefined);
  const config = mergeConfig(mergeConfig(user ?? {}, settings.profile?.overrides ?? {}), settings.config ?? {});
  if (!needsSignIn(config, program.env) || (await hasProjectConfig(cwd, codexHome))) return;
  // The sign-in may be in the system keyring, so only Codex can tell.
  if (await reportsNotLoggedIn(program, cwd, options)) throw notSignedInError(program.env);
}

/** Returns whether a project has its own configuration, which may set another provider. */
async function hasProjectConfig(cwd: string, codexHome: string): Promise<boolean> {
  const own = join(codexHome, 'config.toml');
  for (let folder = cwd; ; folder = dirname(folder)) {
    const file = join(folder, '.codex', 'config.toml');
    if (file !== own && (await exists(file))) return true;
    if (dirname(folder) === folder) return false;
  }
}

async function reportsNotLoggedIn(
  program: Parameters<typeof runCodexCommand>[0],
  cwd: string,
  { processes }: ExecOptions,
): Promise<boolean> {
  const { stdout, stderr } = await runCodexCommand(program, { processes, args: ['login', 'status'], cwd });
  return /^not logged in\b/im.test(`${stdout}\n${stderr}`);
}

async function exists(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch (error) {
    // Any other error means that the file exists but is not accessible.
    return !(error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'));
  }
}
