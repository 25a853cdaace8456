import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../../base/errors.ts';
import { wellFormedJson } from '../../../wire/json/well-formed-json.ts';
import type { SessionSettings, TurnInput, TurnSettings } from '../../engine.ts';
import { refuseMemoriesByVersion } from '../../limits/open-memories.ts';
import { readVersion } from '../../locate/codex-command.ts';
import { mergeConfig } from '../../settings/merge-config.ts';
import { type ExecCommand, toExecArguments } from './arguments.ts';
import type { ExecOptions, ExecProgram } from './options.ts';
import type { ExecEvent } from './protocol/exec-event.ts';
import { type Run, startRun } from './run.ts';
import { createScratchFolder, type ScratchFolder } from './scratch-folder.ts';
import { createSessionGate, type SessionEvent, type SessionGate } from './session-gate.ts';
import { toLaunchError, toStartError } from './start-errors.ts';

export interface LaunchRequest {
  readonly target: ExecCommand['target'];
  readonly settings: SessionSettings;
  readonly turn: TurnSettings;
  readonly input: TurnInput;
  /** The working folder of the process, and so of a session that it resumes. */
  readonly cwd: string;
  readonly signal: AbortSignal | undefined;
  /** How long Codex may take to report its session. */
  readonly deadlineMs?: number;
}

/** Receives what a run reports. */
export interface RunReceiver {
  /** Called once, before any other event. */
  readonly onSession: (session: SessionEvent, run: Run) => void;
  readonly onEvent: (event: ExecEvent) => void;
}

const SESSION_DEADLINE_MS = 30_000;

/** Starts one `codex exec`. Resolves when its session is known. If it rejects, no process is left running. */
export async function launch(options: ExecOptions, request: LaunchRequest, receiver: RunReceiver): Promise<Run> {
  const { processes, log } = options;
  const { cwd, input } = request;
  if (request.signal?.aborted) throw cancelled();
  const codex = await options.program();
  const scratch = createScratchFolder(options.folders.scratch);
  const gate = createSessionGate(request.target, {
    onSession: (session) => receiver.onSession(session, run),
    onEvent: receiver.onEvent,
  });
  // Events arrive in a later tick than the run itself.
  let run: Run;
  const start = async (): Promise<Run> => {
    const args = [...codex.args, ...toExecArguments(await toCommand(scratch, { options, request, codex }))];
    const { command, env } = codex;
    return startRun({ processes, command, args, env, cwd, stdin: input.text, onEvent: gate.take, warn: log.warn });
  };
  try {
    run = await start();
  } catch (error) {
    await scratch.remove();
    throw await toLaunchError(error, { cwd });
  }
  const finished = run.finished.then(async (exit) => {
    await scratch.remove();
    return exit;
  });
  return waitForSession({ ...run, finished }, { request, gate });
}

interface LaunchContext {
  readonly options: ExecOptions;
  readonly request: LaunchRequest;
  readonly codex: ExecProgram;
}

async function toCommand(scratch: ScratchFolder, { options, request, codex }: LaunchContext): Promise<ExecCommand> {
  const { settings, turn, input, target } = request;
  const { baseInstructions } = settings;
  const images: string[] = [];
  for (const image of input.images) images.push(await scratch.pathWithoutComma(image));
  const files = {
    outputSchema:
      turn.outputSchema === undefined
        ? undefined
        : await scratch.write('output-schema.json', wellFormedJson(JSON.stringify(turn.outputSchema))),
    baseInstructions:
      baseInstructions === undefined ? undefined : await scratch.write('instructions.md', baseInstructions),
  };
  const shared = (await options.extraConfig?.()) ?? {};
  const limits = await limitsOf({ options, request, codex });
  const extraConfig = mergeConfig(shared, limits);
  return { settings, turn, target, images, files, extraConfig };
}

async function limitsOf({ options, request, codex }: LaunchContext): Promise<Readonly<Record<string, unknown>>> {
  if (options.limits === undefined) return {};
  const { cwd, settings } = request;
  const { processes, folders } = options;
  const version = await readVersion(codex, { processes, cwd: folders.cwd });
  // Whether an exec run protects `.codex` from writes is untested.
  const limits = await options.limits.config({
    cwd,
    settings,
    version,
    readsPolicyFromConfig: true,
    protectsProjectConfig: false,
  });
  const sandbox = request.turn.sandbox ?? settings.sandbox ?? limits['sandbox_mode'];
  refuseMemoriesByVersion(version, { codexHome: folders.codexHome, sandbox });
  return limits;
}

async function waitForSession(
  run: Run,
  { request, gate }: { request: LaunchRequest; gate: SessionGate },
): Promise<Run> {
  const settled = new AbortController();
  const { signal, deadlineMs = SESSION_DEADLINE_MS } = request;
  const ended = run.finished.then((exit) => Promise.reject(toStartError(exit, request.target)));
  const timedOut = delay(deadlineMs, undefined, { signal: settled.signal }).then(() =>
    Promise.reject(sessionTimedOut({ deadlineMs, stderrLine: run.stderrLine() })),
  );
  const aborted = new Promise<never>((_, reject) => {
    // The signal may have aborted while the process was starting.
    if (signal?.aborted) reject(cancelled());
    signal?.addEventListener('abort', () => reject(cancelled()), { once: true, signal: settled.signal });
  });
  try {
    await Promise.race([gate.opened, ended, timedOut, aborted]);
    return run;
  } catch (error) {
    gate.close();
    await run.stop('not started');
    await run.finished;
    throw error;
  } finally {
    settled.abort();
  }
}

function sessionTimedOut({ deadlineMs, stderrLine }: { deadlineMs: number; stderrLine: string | undefined }): AppError {
  const words = stderrLine === undefined ? 'It wrote nothing to stderr.' : `From its stderr: ${stderrLine}`;
  return new AppError(
    'START_FAILED',
    `codex exec did not start a session within ${deadlineMs / 1000} seconds. ${words}`,
  );
}

function cancelled(): AppError {
  return new AppError('CANCELLED', 'The turn was cancelled before it started.');
}
