import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { JsonObject } from '../../../wire/messages.ts';
import type { SessionSettings } from '../../engine.ts';
import { runCodexCommand } from '../../locate/codex-command.ts';
import { readCodexToml } from '../../settings/codex-config.ts';
import { mergeConfig } from '../../settings/merge-config.ts';
import { needsSignIn, notSignedInError } from '../sign-in.ts';
import type { ExecOptions, ExecProgram } from './options.ts';

/**
 * Refuses a session that would fail after some seconds of retries because the user is not signed in. `codex exec`
 * accepts CODEX_API_KEY instead of a sign-in. If the state is uncertain, the session is attempted.
 */
export async function assertSignedIn(settings: SessionSettings, cwd: string, options: ExecOptions): Promise<void> {
  const { codexHome } = options.folders;
  if (await hasStoredSignIn(codexHome)) return;
  const program = await options.program();
  if ((program.env['CODEX_API_KEY'] ?? '') !== '') return;
  const user = await readCodexToml(codexHome, 'config.toml').catch(() => undefined);
  const config = mergeConfig(mergeConfig(user ?? {}, settings.profile?.overrides ?? {}), settings.config ?? {});
  const { processes } = options;
  if (await lacksSignIn(config, { program, processes, codexHome, cwd })) throw notSignedInError(program.env);
}

export function hasStoredSignIn(codexHome: string): Promise<boolean> {
  return exists(join(codexHome, 'auth.json'));
}

interface SignInPlace extends Pick<ExecOptions, 'processes'> {
  readonly program: ExecProgram;
  readonly codexHome: string;
  readonly cwd: string;
}

/**
 * Returns whether sessions with this configuration certainly fail without a sign-in and Codex has none. The sign-in may
 * be in the system keyring, so only Codex can tell.
 */
export async function lacksSignIn(
  config: JsonObject,
  { program, processes, codexHome, cwd }: SignInPlace,
): Promise<boolean> {
  if (!needsSignIn(config, program.env) || (await hasProjectConfig(cwd, codexHome))) return false;
  return reportsNotLoggedIn(program, { processes, cwd });
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
  program: ExecProgram,
  { processes, cwd }: Pick<SignInPlace, 'processes' | 'cwd'>,
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
