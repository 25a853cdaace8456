import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../base/errors.ts';
import type { Processes } from '../../base/process/processes.ts';
import type { SpawnedProcess } from '../../base/process/spawn.ts';
import { tellingLine } from '../../base/process/telling-line.ts';
import type { ByteBudget } from '../../wire/byte-budget.ts';
import type { Framing } from '../../wire/framing.ts';
import { openStreamChannel } from '../../wire/stream-channel.ts';
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
  /** Takes secrets out of what it says on stderr, before anybody is told. */
  readonly redact?: ((text: string) => string) | undefined;
}

/** What all servers of one gateway share. */
export interface StdioSurroundings {
  readonly processes: Processes;
  readonly unfinishedBytes: ByteBudget;
}

/** How long the last words of a server that has closed its stdout are waited for. */
const LAST_WORDS_MS = 20;

/** A server that is a program of its own, spoken to over its stdin and stdout. */
export async function openStdio(
  server: StdioServer,
  { processes, unfinishedBytes }: StdioSurroundings,
  receiver: TransportReceiver,
): Promise<UpstreamTransport> {
  const { command, args, cwd, env, framing, maxMessageBytes, onStderrLine, redact = (text) => text } = server;
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
      fault: receiver.fault,
      end: ({ failure }) => over(failure),
    },
  );
  const lastWords = () => running.stderrTail().map(redact);
  let isOver = false;
  const over = (failure?: AppError) => {
    if (isOver) return;
    isOver = true;
    void sayGoodbye(running, lastWords, failure).then(receiver.end);
  };
  // What it started may hold its stdout open after its end, and nobody should wait for that: only for what is in the pipe.
  void running.exited.then(() => delay(LAST_WORDS_MS)).then(() => over());
  const { send, queuedBytes, mark, isUntouched, pause, resume } = channel;
  return {
    where: `pid ${running.pid}`,
    send,
    queuedBytes,
    mark,
    isUntouched,
    pause,
    resume,
    lastWords,
    async close() {
      channel.stop();
      await running.stop('closed');
    },
  };
}

/** Why it ended, in its own words where it left some. Quick: whoever waits for an answer is told after this. */
async function sayGoodbye(
  running: SpawnedProcess,
  lastWords: () => readonly string[],
  failure: AppError | undefined,
): Promise<AppError> {
  if (failure !== undefined) return failure;
  const exit = await Promise.race([running.exited, delay(LAST_WORDS_MS, undefined)]);
  const how = exit === undefined ? 'closed its stdin or stdout' : describeExit(exit);
  const lastLine = tellingLine(lastWords());
  const message = lastLine === undefined ? `it ${how} without a word on stderr` : `it ${how}: ${lastLine}`;
  return new AppError('PROCESS_EXITED', message, { data: { ...exit, lastLine } });
}

function describeExit({ code, signal }: { readonly code: number | null; readonly signal: string | null }): string {
  return signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
}
