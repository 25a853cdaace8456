import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { readAncestorVariable } from '../../base/process/ancestor-environment.ts';
import type { Processes } from '../../base/process/processes.ts';
import { cacheFolder, type Environment } from '../../config/files/folders.ts';
import { DEPTH_VARIABLE, nextLaunchDepth } from '../../config/resolve/launch-depth.ts';
import { lookUpVariable } from '../../config/resolve/server-environment.ts';
import type { Engine, EngineListener } from '../engine.ts';
import { refuseEnvFile } from '../limits/env-file.ts';
import { withoutGitRepository } from '../limits/limit-config.ts';
import { refusePlantedRules } from '../limits/planted-rules.ts';
import { assertNotWritableBySessions } from '../limits/refuse-writable.ts';
import { withSafePath } from '../limits/safe-path.ts';
import type { FindWritableFolder } from '../limits/writable-folders.ts';
import { readVersion } from '../locate/codex-command.ts';
import type { CodexVersion } from '../locate/codex-version.ts';
import { type CodexProgram, findCodex } from '../locate/find-codex.ts';
import { mcpServerNames } from '../settings/codex-config.ts';
import { AppServerEngine } from './app-server/engine.ts';
import { DELTA_NOTIFICATIONS } from './app-server/protocol/methods.ts';
import type { SessionLimits } from './app-server/thread-opener.ts';
import { APP_SERVER_MINOR, EXEC_MINOR, engineFor } from './engine-versions.ts';
import { createExecEngine } from './exec/engine.ts';
import { FallbackEngine } from './fallback-engine.ts';

export type EngineKind = 'auto' | 'app-server' | 'exec';

export interface EngineOptions {
  readonly kind: EngineKind;
  readonly processes: Processes;
  readonly environment: Environment;
  /** As in `process.arch`. */
  readonly arch: string;
  readonly codexHome: string;
  /** True if a client also reads delta notifications, with parts of texts and outputs. */
  readonly wantsDeltas: boolean;
  /** The operator's limits, if there are any. */
  readonly limits?: EngineLimits;
  readonly log: { debug(text: string): void; warn(text: string): void };
}

export interface EngineLimits extends Omit<SessionLimits, 'refuseRules'> {
  /** Finds folders that sessions may write to. No program is started from there. */
  readonly writable: () => Promise<FindWritableFolder>;
  /** The temporary folders that sessions may write to. */
  readonly openTempFolders: () => readonly string[];
  /** The programs that run this server. */
  readonly ownPrograms: readonly string[];
}

/** Opens an engine. It does not search for Codex or start it before the first request. */
export function openEngine(options: EngineOptions, listener: EngineListener): Engine {
  const { processes, codexHome, log, wantsDeltas, environment, limits } = options;
  const { cwd, home } = environment;
  const refuseRules = (folder: string, version: CodexVersion | undefined) =>
    refusePlantedRules(folder, { version, codexHome });
  const appServer = new AppServerEngine(
    {
      processes,
      program: () => findProgram(options),
      cwd,
      optOut: wantsDeltas ? [] : DELTA_NOTIFICATIONS,
      log,
      ...(limits === undefined ? {} : { limits: { ...limits, refuseRules } }),
    },
    listener,
  );
  const program = () => findProgram(options);
  const extraConfig = async () => serversAtDepth(await mcpServerNames(codexHome), depthOf(environment.env));
  const exec = createExecEngine(
    {
      processes,
      program,
      folders: { codexHome, home, scratch: join(cacheFolder(environment), 'codex-exec'), cwd },
      log,
      extraConfig,
      ...(limits === undefined ? {} : { limits }),
    },
    listener,
  );
  if (options.kind === 'app-server') return appServer;
  if (options.kind === 'exec') return exec;
  const lacksAppServer = async () => {
    const version = await readVersion(await findProgram(options), { processes, cwd });
    const supported = version === undefined ? 'app-server' : engineFor(version);
    if (version === undefined || supported !== undefined) return supported === 'exec';
    const text = `Codex ${version.text} is too old: at least 0.${EXEC_MINOR} is needed, and 0.${APP_SERVER_MINOR} for approvals. Install a newer one: npm install -g @openai/codex@latest`;
    throw new AppError('CODEX_MISSING', text);
  };
  return new FallbackEngine({ appServer, exec, lacksAppServer, log });
}

async function findProgram(options: EngineOptions): Promise<CodexProgram & { depth: number }> {
  const { environment, arch, codexHome, limits } = options;
  const machine = { ...environment, arch };
  const depth = depthOf(environment.env);
  const own = { CODEX_HOME: codexHome, [DEPTH_VARIABLE]: String(depth) };
  createDefaultHome(codexHome, environment);
  if (limits === undefined) {
    const program = await findCodex(machine);
    return { ...program, env: { ...program.env, ...own }, depth };
  }
  const findWritableFolder = await limits.writable();
  for (const file of limits.ownPrograms)
    assertNotWritableBySessions(file, {
      what: OWN_PROGRAM,
      install: INSTALL_ELSEWHERE,
      findWritableFolder,
    });
  const safePathOptions = { platform: environment.platform, findWritableFolder };
  await refuseEnvFile(codexHome, safePathOptions);
  const program = await findCodex(machine, findWritableFolder);
  // Codex lets commands write to TMPDIR, and starts git and the bwrap of its sandbox from PATH.
  const limited = { ...program.env, ...own, TMPDIR: limits.tmpdir, ...withoutGitRepository(codexHome) };
  return { ...program, env: withSafePath(limited, safePathOptions), depth };
}

/** Codex creates its default folder by itself, but refuses a CODEX_HOME that does not exist. */
function createDefaultHome(folder: string, { env, platform }: Environment): void {
  if ((lookUpVariable(env, 'CODEX_HOME', platform) ?? '') !== '') return;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch {
    // Codex reports why its folder cannot be used.
  }
}

const OWN_PROGRAM = 'The executable of this server';
const INSTALL_ELSEWHERE =
  'Install Switchboard elsewhere (npm install -g; from a clone: npm pack, then npm install -g the .tgz file)';

/** A parent Codex passes only a few variables to this server, and an old one none of Switchboard's. */
function depthOf(env: Environment['env']): number {
  return nextLaunchDepth({ ...env, [DEPTH_VARIABLE]: env[DEPTH_VARIABLE] ?? readAncestorVariable(DEPTH_VARIABLE) });
}

/** Sets the launch depth for a Switchboard among the MCP servers: Codex passes only a few variables to them. */
function serversAtDepth(names: readonly string[], depth: number): Readonly<Record<string, unknown>> {
  const env = { [DEPTH_VARIABLE]: String(depth) };
  return names.length === 0 ? {} : { mcp_servers: Object.fromEntries(names.map((name) => [name, { env }])) };
}
