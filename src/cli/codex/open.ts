import { join } from 'node:path';
import type { Log } from '../../base/log.ts';
import type { Processes } from '../../base/process/processes.ts';
import type { Deciders } from '../../codex/approvals/approvals.ts';
import { createEventRouter, type EventRouter } from '../../codex/compat/events/event-router.ts';
import { addCompatTools, type CompatServerOptions, createCompatServer } from '../../codex/compat/server.ts';
import type { Engine } from '../../codex/engine.ts';
import { openEngine } from '../../codex/engines/open-engine.ts';
import type { CodexEnvSettings } from '../../codex/env-settings.ts';
import { createLimits } from '../../codex/limits/create-limits.ts';
import { createFolderRegistry } from '../../codex/limits/folder-registry.ts';
import { enforcesLimits, type OperatorLimits, withDefaultRoot } from '../../codex/limits/operator-limits.ts';
import { withSafePath } from '../../codex/limits/safe-path.ts';
import type { FindWritableFolder } from '../../codex/limits/writable-folders.ts';
import { codexHome } from '../../codex/locate/codex-home.ts';
import { createOwnedEngine, type OwnedEngineOptions } from '../../codex/ownership/owned-engine.ts';
import { createCodexServer } from '../../codex/server.ts';
import type { ServerContext } from '../../codex/server-context.ts';
import { Sessions } from '../../codex/sessions/sessions.ts';
import { openSavedSettings } from '../../codex/settings/saved-settings.ts';
import { createTreeTracker, type TreeTracker } from '../../codex/working-tree/tree-tracker.ts';
import { cacheFolder, dataFolder } from '../../config/files/folders.ts';
import { isCodex } from '../../schema/profiles/codex-client.ts';
import type { ServedClient } from '../../serve/served-client.ts';
import type { Server } from '../../serve/server.ts';
import { type CommandContext, environmentOf } from '../command-context.ts';
import type { CodexOptions, Toolset } from './options.ts';

export interface CodexDependencies {
  readonly envSettings: CodexEnvSettings;
  readonly context: CommandContext;
  readonly log: Log;
  readonly processes: Processes;
  /** Platform text for clients of the drop-in server. */
  readonly machine: string;
  /** Undefined if the clients may use every session of the user. */
  readonly owner?: CodexOwner;
}

/** Whose sessions a server opens. */
export interface CodexOwner extends OwnedEngineOptions {
  /** How many turns the other servers of this process are running or starting. */
  readonly countElsewhere: () => number;
}

/** Opens the codex server and its dependencies. The first call that needs Codex starts it. */
export function openCodex(options: CodexOptions, dependencies: CodexDependencies): OpenedCodex {
  const { sessions, serverContext, eventRouter } = openCodexSessions(options, dependencies);
  const onError = (error: unknown, tool: string) => dependencies.log.error(`${tool}: ${describe(error)}`);
  return {
    server: createToolServer(options.tools, serverContext, { eventRouter, onError, machine: dependencies.machine }),
    sessions,
  };
}

export interface OpenedCodex {
  readonly server: Server;
  readonly sessions: Sessions;
}

interface CodexSessions {
  readonly sessions: Sessions;
  readonly serverContext: ServerContext;
  readonly eventRouter: EventRouter | undefined;
}

/** Opens the sessions without a server in front of them. Close them when they are no longer needed. */
export function openCodexSessions(options: CodexOptions, dependencies: CodexDependencies): CodexSessions {
  const { envSettings, log, owner } = dependencies;
  const environment = environmentOf(dependencies.context);
  const home = codexHome(environment);
  const operatorLimits = toOperatorLimits(options, dependencies);
  const ownPrograms = [process.argv[1] ?? '', process.execPath];
  const { protectedFolders, writable, engineLimits } = createLimits({
    operatorLimits,
    environment,
    codexHome: home,
    ownPrograms,
  });
  const eventRouter = wantsEvents(options) ? createEventRouter() : undefined;
  const limitToOwner = (engine: Engine) => (owner === undefined ? engine : createOwnedEngine(engine, owner));
  const sessions = new Sessions({
    createEngine: (listener) =>
      limitToOwner(
        openEngine(
          {
            kind: options.engine,
            processes: dependencies.processes,
            environment,
            arch: process.arch,
            codexHome: home,
            wantsDeltas: eventRouter !== undefined,
            ...(engineLimits === undefined ? {} : { limits: engineLimits }),
            log,
          },
          listener,
        ),
      ),
    limits: {
      maxSessions: envSettings.maxSessions,
      countElsewhere: owner?.countElsewhere,
      maxEvents: envSettings.eventBufferSize,
    },
    folderClaims: {
      isEnforced: enforcesLimits(operatorLimits),
      registry: createFolderRegistry(join(dataFolder(environment), 'codex-folders')),
    },
    approvals: {
      timeoutMs: envSettings.approvalTimeoutMs,
      deciders: options.approvals ?? defaultDeciders(operatorLimits),
      allowsPermanent: operatorLimits.allowsDanger,
    },
    log,
    // The drop-in server reports no diffs.
    ...(options.tools === 'compat'
      ? {}
      : { treeTracker: openTreeTracker(dependencies, { cache: cacheFolder(environment), writable }) }),
    ...(eventRouter === undefined ? {} : { onNotification: eventRouter.dispatch }),
  });
  const serverContext: ServerContext = {
    sessions,
    savedSettings: openSavedSettings(dataFolder(environment)),
    ownership: owner?.ownership,
    operatorLimits,
    cwd: environment.cwd,
    home: environment.home,
    codexHome: home,
    protectedFolders,
    maxWaitMs: (client) => maxWaitMs(options, client),
  };
  return { sessions, serverContext, eventRouter };
}

/** Not in the system's temporary folder: sessions may write there. */
function openTreeTracker(
  { processes, context }: CodexDependencies,
  { cache, writable }: { readonly cache: string; readonly writable: () => Promise<FindWritableFolder> },
): TreeTracker {
  const env = async () =>
    withSafePath(context.env, { platform: process.platform, findWritableFolder: await writable() });
  return createTreeTracker({ processes, env, parent: join(cache, 'codex-diffs') });
}

function wantsEvents({ tools, hasEvents }: CodexOptions): boolean {
  return hasEvents && (tools === 'compat' || tools === 'all');
}

function createToolServer(
  tools: Toolset,
  serverContext: ServerContext,
  { eventRouter, onError, machine }: CompatServerOptions,
): Server {
  switch (tools) {
    case 'core':
    case 'full':
      return createCodexServer(serverContext, { hasAllTools: tools === 'full', onError });
    case 'compat':
      return createCompatServer(serverContext, { eventRouter, onError, machine });
    case 'all':
      return addCompatTools(createCodexServer(serverContext, { hasAllTools: true, onError }), serverContext, {
        eventRouter,
      });
  }
}

/** Below the minute after which most clients time out; Codex itself waits five minutes. */
const DEFAULT_MAX_WAIT_MS = 50_000;
const CODEX_MAX_WAIT_MS = 280_000;

function maxWaitMs({ maxWaitSeconds }: CodexOptions, { info }: ServedClient): number {
  if (maxWaitSeconds !== undefined) return maxWaitSeconds * 1000;
  return isCodex(info) ? CODEX_MAX_WAIT_MS : DEFAULT_MAX_WAIT_MS;
}

function toOperatorLimits(options: CodexOptions, { envSettings, context }: CodexDependencies): OperatorLimits {
  const { maxSandbox = 'danger-full-access', allowsDanger, roots, approvals = 'any' } = options;
  const requested = { maxSandbox, allowsDanger: allowsDanger || envSettings.allowsDanger, roots };
  return withDefaultRoot({ ...requested, restrictsApprovals: approvals !== 'any' }, context.cwd);
}

/**
 * Approved commands run outside the sandbox. With operator limits, a caller must not be able to lift them for itself.
 */
function defaultDeciders(operatorLimits: OperatorLimits): Deciders {
  return enforcesLimits(operatorLimits) ? 'user' : 'any';
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
