import { statSync } from 'node:fs';
import { AppError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Processes } from '../base/process/processes.ts';
import type { Ceilings } from '../codex/ceilings.ts';
import { codexHome } from '../codex/codex-home.ts';
import type { CodexEnvironment } from '../codex/environment.ts';
import { openEngine } from '../codex/open-engine.ts';
import { createCodexServer } from '../codex/server.ts';
import { Sessions } from '../codex/sessions.ts';
import type { Workplace } from '../codex/workplace.ts';
import { resolvePath } from '../config/folders.ts';
import { isCodex } from '../schema/codex-client.ts';
import type { ServedClient } from '../serve/served-client.ts';
import type { Server } from '../serve/server.ts';
import type { CodexOptions } from './codex-options.ts';
import type { CommandContext } from './main.ts';

export interface CodexParts {
  readonly environment: CodexEnvironment;
  readonly context: CommandContext;
  readonly log: Log;
  readonly processes: Processes;
}

/** The codex server with everything behind it. Codex itself is started by the first call that needs it. */
export function openCodex(
  options: CodexOptions,
  parts: CodexParts,
): { readonly server: Server; readonly sessions: Sessions } {
  const { environment, log } = parts;
  const surroundings = { ...parts.context, platform: process.platform };
  const home = codexHome(surroundings);
  const sessions = new Sessions({
    createEngine: (listener) =>
      openEngine(
        {
          kind: options.engine,
          processes: parts.processes,
          surroundings,
          arch: process.arch,
          codexHome: home,
          wantsPieces: false,
          log,
        },
        listener,
      ),
    maxSessions: environment.maxSessions,
    maxEvents: environment.eventBufferSize,
    approvalTimeoutMs: environment.approvalTimeoutMs,
    log,
  });
  const workplace: Workplace = {
    sessions,
    ceilings: toCeilings(options, parts),
    cwd: surroundings.cwd,
    home: surroundings.home,
    codexHome: home,
    maxWaitMs: (client) => maxWaitMs(options, client),
  };
  const onError = (error: unknown, tool: string) => log.error(`${tool}: ${describe(error)}`);
  return { server: createCodexServer(workplace, { hasAllTools: options.tools !== 'core', onError }), sessions };
}

/** Below the minute after which most clients give up; Codex itself waits for five. */
const USUAL_WAIT_MS = 50_000;
const CODEX_WAIT_MS = 280_000;

function maxWaitMs({ maxWait }: CodexOptions, { info }: ServedClient): number {
  if (maxWait !== undefined) return maxWait * 1000;
  return isCodex(info) ? CODEX_WAIT_MS : USUAL_WAIT_MS;
}

function toCeilings(options: CodexOptions, { environment, context }: CodexParts): Ceilings {
  const roots = options.roots.map((root) => resolvePath(root, { ...context, platform: process.platform }));
  const missing = roots.find((root) => statSync(root, { throwIfNoEntry: false })?.isDirectory() !== true);
  if (missing !== undefined) throw new AppError('USAGE', `--allow-root: there is no folder ${missing}.`);
  return {
    maxSandbox: options.maxSandbox ?? 'danger-full-access',
    allowsDanger: options.allowsDanger || environment.allowsDanger,
    roots,
  };
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
