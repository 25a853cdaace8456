import { dirname, join } from 'node:path';
import type { Log } from '../../base/log.ts';
import type { Processes } from '../../base/process/processes.ts';
import type { Deciders } from '../../codex/approvals/approvals.ts';
import { createEventHub } from '../../codex/compat/events/event-router.ts';
import { addCompatTools, type CompatServerOptions, createCompatServer } from '../../codex/compat/server.ts';
import { openEngine } from '../../codex/engines/open-engine.ts';
import type { CodexEnvironment } from '../../codex/env-settings.ts';
import { createFolderRegistry } from '../../codex/limits/folder-registry.ts';
import { createLimitConfig, isTemporaryOpen } from '../../codex/limits/limit-config.ts';
import { type Ceilings, isEnforced, withinFolder } from '../../codex/limits/operator-limits.ts';
import { type ProtectedFolder, protectedFolders } from '../../codex/limits/protected-folders.ts';
import { withSafePath } from '../../codex/limits/safe-path.ts';
import { findWritable, type WritableAt } from '../../codex/limits/writable-folders.ts';
import { codexHome } from '../../codex/locate/codex-home.ts';
import { realFolder } from '../../codex/real-folder.ts';
import { createCodexServer } from '../../codex/server.ts';
import type { Workplace } from '../../codex/server-context.ts';
import { Sessions } from '../../codex/sessions/sessions.ts';
import { openKeptSettings } from '../../codex/settings/saved-settings.ts';
import { createTreeFollower, type TreeFollower } from '../../codex/working-tree/tree-tracker.ts';
import { cacheFolder, dataFolder, filledVariable } from '../../config/files/folders.ts';
import { isCodex } from '../../schema/profiles/codex-client.ts';
import type { ServedClient } from '../../serve/served-client.ts';
import type { Server } from '../../serve/server.ts';
import type { CommandContext } from '../main.ts';
import type { CodexOptions, Toolset } from './options.ts';

export interface CodexParts {
  readonly environment: CodexEnvironment;
  readonly context: CommandContext;
  readonly log: Log;
  readonly processes: Processes;
  /** As it is told to clients of the drop-in. */
  readonly machine: string;
}

/** The codex server with everything behind it. Codex itself is started by the first call that needs it. */
export function openCodex(
  options: CodexOptions,
  parts: CodexParts,
): { readonly server: Server; readonly sessions: Sessions } {
  const { environment, log } = parts;
  const surroundings = { ...parts.context, platform: process.platform };
  const home = codexHome(surroundings);
  const ceilings = toCeilings(options, parts);
  const { platform } = surroundings;
  const ownPrograms = [process.argv[1] ?? '', process.execPath];
  const ownFolders = [...protectedFolders(home, surroundings), ...(isEnforced(ceilings) ? ownCode(ownPrograms) : [])];
  const named = filledVariable(surroundings.env, 'TMPDIR');
  const isTemporary = (folder: string) => isTemporaryOpen(folder, { ceilings, protectedFolders: ownFolders });
  const isOpen = named !== undefined && isTemporary(named);
  const openTemporary = () => ['/tmp', ...(isOpen ? [named] : [])].filter(isTemporary);
  const writable = () =>
    findWritable({ ceilings, home: surroundings.home, codexHome: home, temporary: openTemporary() });
  const limits = createLimitConfig({
    ceilings,
    codexHome: home,
    home: surroundings.home,
    protectedFolders: ownFolders,
    platform,
    writable,
  });
  const hub = wantsEvents(options) ? createEventHub() : undefined;
  const sessions = new Sessions({
    createEngine: (listener) =>
      openEngine(
        {
          kind: options.engine,
          processes: parts.processes,
          surroundings,
          arch: process.arch,
          codexHome: home,
          wantsPieces: hub !== undefined,
          ...(limits === undefined
            ? {}
            : {
                limits: { config: limits, tmpdir: isOpen ? named : undefined, writable, openTemporary, ownPrograms },
              }),
          log,
        },
        listener,
      ),
    maxSessions: environment.maxSessions,
    keepsFoldersApart: isEnforced(ceilings),
    registry: createFolderRegistry(join(dataFolder(surroundings), 'codex-folders')),
    maxEvents: environment.eventBufferSize,
    approvals: {
      timeoutMs: environment.approvalTimeoutMs,
      deciders: options.approvals ?? decidersWithin(ceilings),
      allowsPermanent: ceilings.allowsDanger,
    },
    log,
    // The drop-in has no diff to tell.
    ...(options.tools === 'compat' ? {} : { trees: openTrees(parts, { cache: cacheFolder(surroundings), writable }) }),
    ...(hub === undefined ? {} : { onNotified: hub.notified }),
  });
  const workplace: Workplace = {
    sessions,
    kept: openKeptSettings(dataFolder(surroundings)),
    ceilings,
    cwd: surroundings.cwd,
    home: surroundings.home,
    codexHome: home,
    protectedFolders: ownFolders,
    maxWaitMs: (client) => maxWaitMs(options, client),
  };
  const onError = (error: unknown, tool: string) => log.error(`${tool}: ${describe(error)}`);
  return { server: createToolServer(options.tools, workplace, { hub, onError, machine: parts.machine }), sessions };
}

/** Not in the system's temporary folder: sessions may write there. */
function openTrees(
  { processes, context }: CodexParts,
  { cache, writable }: { readonly cache: string; readonly writable: () => Promise<WritableAt> },
): TreeFollower {
  const env = async () => withSafePath(context.env, { platform: process.platform, writableAt: await writable() });
  return createTreeFollower({ processes, env, parent: join(cache, 'codex-diffs') });
}

/** A temporary folder with our code in it is closed to sessions. */
function ownCode([script = '']: readonly string[]): readonly ProtectedFolder[] {
  const path = dirname(realFolder(script));
  return [{ path, what: `the code of Switchboard itself (${path})` }];
}

function wantsEvents({ tools, hasEvents }: CodexOptions): boolean {
  return hasEvents && (tools === 'compat' || tools === 'all');
}

function createToolServer(
  tools: Toolset,
  workplace: Workplace,
  { hub, onError, machine }: CompatServerOptions,
): Server {
  switch (tools) {
    case 'core':
    case 'full':
      return createCodexServer(workplace, { hasAllTools: tools === 'full', onError });
    case 'compat':
      return createCompatServer(workplace, { hub, onError, machine });
    case 'all':
      return addCompatTools(createCodexServer(workplace, { hasAllTools: true, onError }), workplace, { hub });
  }
}

/** Below the minute after which most clients give up; Codex itself waits for five. */
const USUAL_WAIT_MS = 50_000;
const CODEX_WAIT_MS = 280_000;

function maxWaitMs({ maxWait }: CodexOptions, { info }: ServedClient): number {
  if (maxWait !== undefined) return maxWait * 1000;
  return isCodex(info) ? CODEX_WAIT_MS : USUAL_WAIT_MS;
}

function toCeilings(options: CodexOptions, { environment, context }: CodexParts): Ceilings {
  const { maxSandbox = 'danger-full-access', allowsDanger, roots, approvals = 'any' } = options;
  const asked = { maxSandbox, allowsDanger: allowsDanger || environment.allowsDanger, roots };
  return withinFolder({ ...asked, restrictsApprovals: approvals !== 'any' }, context.cwd);
}

/** What is approved runs outside of the sandbox: where there are limits, a caller must not set itself free of them. */
function decidersWithin(ceilings: Ceilings): Deciders {
  return isEnforced(ceilings) ? 'user' : 'any';
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
