import { dirname } from 'node:path';
import { type Environment, nonEmptyVariable } from '../../config/files/folders.ts';
import type { EngineLimits } from '../engines/open-engine.ts';
import { realPathOf } from '../real-folder.ts';
import { createLimitConfig, isTempFolderOpen } from './limit-config.ts';
import { enforcesLimits, type OperatorLimits } from './operator-limits.ts';
import { type ProtectedFolder, protectedFolders } from './protected-folders.ts';
import { createWritableFolderFinder, type FindWritableFolder } from './writable-folders.ts';

export interface LimitsOptions {
  readonly operatorLimits: OperatorLimits;
  readonly environment: Environment;
  readonly codexHome: string;
  /** The programs that run this server: its script, then the interpreter. */
  readonly ownPrograms: readonly string[];
}

export interface Limits {
  /** Folders that no session may write to. */
  readonly protectedFolders: readonly ProtectedFolder[];
  /** Finds folders that sessions may write to. */
  readonly writable: () => Promise<FindWritableFolder>;
  /** Undefined if the operator has set no limits. */
  readonly engineLimits: EngineLimits | undefined;
}

/** Derives from the operator's limits which folders sessions may and may not write to, and how Codex enforces that. */
export function createLimits({ operatorLimits, environment, codexHome, ownPrograms }: LimitsOptions): Limits {
  const { home, platform, env } = environment;
  const closed = [
    ...protectedFolders(codexHome, environment),
    ...(enforcesLimits(operatorLimits) ? ownCode(ownPrograms) : []),
  ];
  const isOpen = (folder: string) => isTempFolderOpen(folder, { operatorLimits, protectedFolders: closed });
  const named = nonEmptyVariable(env, 'TMPDIR');
  const tmpdir = named !== undefined && isOpen(named) ? named : undefined;
  const openTempFolders = () => ['/tmp', ...(tmpdir === undefined ? [] : [tmpdir])].filter(isOpen);
  const writable = () =>
    createWritableFolderFinder({ operatorLimits, home, codexHome, tempFolders: openTempFolders() });
  const config = createLimitConfig({ operatorLimits, codexHome, home, protectedFolders: closed, platform, writable });
  return {
    protectedFolders: closed,
    writable,
    engineLimits: config === undefined ? undefined : { config, tmpdir, writable, openTempFolders, ownPrograms },
  };
}

/** Protects Switchboard's own code from sessions, even in a temporary folder. */
function ownCode([script = '']: readonly string[]): readonly ProtectedFolder[] {
  const path = dirname(realPathOf(script));
  return [{ path, what: `the code of Switchboard itself (${path})` }];
}
