import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../base/errors.ts';
import { findErrorLine } from '../../base/process/error-line.ts';
import type { Processes } from '../../base/process/processes.ts';
import type { SpawnedProcess } from '../../base/process/spawn.ts';
import type { ByteBudget } from '../../wire/stream/byte-budget.ts';
import type { Framing } from '../../wire/stream/framing.ts';
import { openStreamChannel } from '../../wire/stream/stream-channel.ts';
import { startHint } from './exit-reason.ts';
import type { TransportReceiver, UpstreamTransport } from './transport.ts';

export interface StdioServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  /** The whole environment of the server. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly framing: Framing;
  readonly maxMessageBytes?: number | undefined;
  readonly onStderrLine?: ((line: string) => void) | undefined;
}

/** Resources shared by all servers of one gateway. */
export interface StdioContext {
  /** Our own environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly processes: Processes;
  readonly unfinishedBytes: ByteBudget;
}

/** Wait for remaining stdout data after the process has exited. */
const LAST_OUTPUT_MS = 20;
/** Wait for the process exit after stdout was closed. The process may keep running. */
const EXIT_WITHIN_MS = 500;

/** Launches a server as a child process and connects to its stdin and stdout. */
export async function openStdio(
  server: StdioServer,
  { processes, unfinishedBytes, env: ownEnv }: StdioContext,
  receiver: TransportReceiver,
): Promise<UpstreamTransport> {
  const { command, args, cwd, env, framing, maxMessageBytes, onStderrLine } = server;
  const running = await processes.spawn({ command, args, cwd, env, ...(onStderrLine ? { onStderrLine } : {}) });
  const channel = openStreamChannel(
    {
      input: running.stdout,
      output: running.stdin,
      framing,
      unfinishedBytes,
      readsAlways: true,
      ...(maxMessageBytes === undefined ? {} : { maxMessageBytes }),
    },
    {
      frame: receiver.frame,
      reportError: receiver.reportError,
      oversizedEnded: (ending) => receiver.oversizedEnded?.(ending),
      end: ({ failure }) => finish(failure),
    },
  );
  const stderrTail = () => running.stderrTail().map(receiver.redact);
  const hint = () => startHint({ args, env, ownEnv }, running.stderrTail());
  let isFinished = false;
  const finish = (failure?: AppError) => {
    if (isFinished) return;
    isFinished = true;
    void toExitError(running, { stderrTail, failure, hint }).then(receiver.end);
  };
  // Child processes may hold stdout open after the exit. Wait only for the data that is already in the pipe.
  void running.exited.then(() => delay(LAST_OUTPUT_MS)).then(() => finish());
  return {
    ...channel,
    where: `pid ${running.pid}`,
    stderrTail,
    hasStdout: true,
    async close() {
      channel.stop();
      await running.stop('closed');
    },
  };
}

/** Returns why the process ended, with the most relevant stderr line. Must be fast: pending calls fail after this. */
async function toExitError(running: SpawnedProcess, { stderrTail, failure, hint }: ExitDetails): Promise<AppError> {
  if (failure !== undefined) return failure;
  const exit = await Promise.race([running.exited, delay(EXIT_WITHIN_MS, undefined, { ref: false })]);
  const how = exit === undefined ? 'closed its stdin or stdout' : describeExit(exit);
  const stderrLines = stderrTail();
  const lastLine = findErrorLine(stderrLines);
  const isSilent = stderrLines.every((line) => line.trim() === '');
  const why = lastLine === undefined ? (isSilent ? ' without a word on stderr' : '') : `: ${lastLine}`;
  const advice = hint();
  const message = advice === undefined ? `it ${how}${why}` : `it ${how}${why}${sentenceEnd(why)} ${advice}`;
  return new AppError('PROCESS_EXITED', message, { data: { ...exit, lastLine } });
}

interface ExitDetails {
  readonly stderrTail: () => readonly string[];
  readonly failure: AppError | undefined;
  /** Returns a hint about a likely config mistake. */
  readonly hint: () => string | undefined;
}

function sentenceEnd(text: string): string {
  return /[.!?]$/.test(text) ? '' : '.';
}

function describeExit({ code, signal }: { readonly code: number | null; readonly signal: string | null }): string {
  return signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
}
