import type { Log } from '../base/log.ts';
import type { Processes } from '../base/process/processes.ts';
import type { Deciders } from '../codex/approvals.ts';
import { type Ceilings, isLimited } from '../codex/ceilings.ts';
import { codexHome } from '../codex/codex-home.ts';
import { createEventHub } from '../codex/compat/events/hub.ts';
import { addCompatTools, type CompatServerOptions, createCompatServer } from '../codex/compat/server.ts';
import type { CodexEnvironment } from '../codex/environment.ts';
import { openEngine } from '../codex/open-engine.ts';
import { createCodexServer } from '../codex/server.ts';
import { Sessions } from '../codex/sessions.ts';
import type { Workplace } from '../codex/workplace.ts';
import { isCodex } from '../schema/codex-client.ts';
import type { ServedClient } from '../serve/served-client.ts';
import type { Server } from '../serve/server.ts';
import type { CodexOptions, Toolset } from './codex-options.ts';
import type { CommandContext } from './main.ts';

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
          log,
        },
        listener,
      ),
    maxSessions: environment.maxSessions,
    maxEvents: environment.eventBufferSize,
    approvals: {
      timeoutMs: environment.approvalTimeoutMs,
      deciders: options.approvals ?? decidersWithin(ceilings),
      allowsPermanent: ceilings.allowsDanger,
    },
    log,
    ...(hub === undefined ? {} : { onNotified: hub.notified }),
  });
  const workplace: Workplace = {
    sessions,
    ceilings,
    cwd: surroundings.cwd,
    home: surroundings.home,
    codexHome: home,
    maxWaitMs: (client) => maxWaitMs(options, client),
  };
  const onError = (error: unknown, tool: string) => log.error(`${tool}: ${describe(error)}`);
  return { server: createToolServer(options.tools, workplace, { hub, onError, machine: parts.machine }), sessions };
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

function toCeilings({ maxSandbox, allowsDanger, roots }: CodexOptions, { environment }: CodexParts): Ceilings {
  return {
    maxSandbox: maxSandbox ?? 'danger-full-access',
    allowsDanger: allowsDanger || environment.allowsDanger,
    roots,
  };
}

/** What is approved runs outside of the sandbox: where there are limits, a caller must not set itself free of them. */
function decidersWithin(ceilings: Ceilings): Deciders {
  return isLimited(ceilings) && !ceilings.allowsDanger ? 'user' : 'any';
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
