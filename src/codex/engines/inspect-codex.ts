import { isAppError } from '../../base/errors.ts';
import type { Processes } from '../../base/process/processes.ts';
import type { Environment } from '../../config/files/folders.ts';
import { readVersion } from '../locate/codex-command.ts';
import { codexHome } from '../locate/codex-home.ts';
import type { CodexVersion } from '../locate/codex-version.ts';
import { type CodexProgram, findCodex } from '../locate/find-codex.ts';
import { readCodexToml } from '../settings/codex-config.ts';
import { hasStoredSignIn, lacksSignIn } from './exec/sign-in.ts';

/** What can be known about the installed Codex without starting a session. */
export type CodexFacts =
  | { readonly kind: 'missing'; readonly reason: string }
  | {
      readonly kind: 'found';
      /** The path and the variable that named it. */
      readonly where: string;
      /** Undefined if Codex does not report one. */
      readonly version: CodexVersion | undefined;
      /** False if the state is uncertain. */
      readonly isSignedOut: boolean;
    };

export interface InspectOptions {
  readonly environment: Environment;
  /** As in `process.arch`. */
  readonly arch: string;
  readonly processes: Processes;
}

/** Finds Codex and runs `codex --version`, and `codex login status` if there is no stored sign-in. */
export async function inspectCodex(options: InspectOptions): Promise<CodexFacts> {
  const { environment, arch, processes } = options;
  try {
    const program = await findCodex({ ...environment, arch });
    const [version, isSignedOut] = await Promise.all([
      readVersion(program, { processes, cwd: environment.cwd }),
      isCodexSignedOut(program, options),
    ]);
    return { kind: 'found', where: program.where, version, isSignedOut };
  } catch (error) {
    if (isAppError(error) && error.code === 'CODEX_MISSING') return { kind: 'missing', reason: error.message };
    throw error;
  }
}

async function isCodexSignedOut(program: CodexProgram, { environment, processes }: InspectOptions): Promise<boolean> {
  const home = codexHome(environment);
  if (await hasStoredSignIn(home)) return false;
  // A broken config is reported by Codex itself.
  const config = (await readCodexToml(home, 'config.toml').catch(() => undefined)) ?? {};
  return lacksSignIn(config, { program, processes, codexHome: home, cwd: environment.cwd });
}
