import type { AppError } from '../../base/errors.ts';
import { whenLastOutputRead } from '../../base/process/drained.ts';
import type { Processes } from '../../base/process/processes.ts';
import type { ByteBudget } from '../../wire/stream/byte-budget.ts';
import type { Framing } from '../../wire/stream/framing.ts';
import { openStreamChannel } from '../../wire/stream/stream-channel.ts';
import { toExitError } from './exit-reason.ts';
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
  let isFinished = false;
  const finish = (failure?: AppError) => {
    if (isFinished) return;
    isFinished = true;
    const reason = failure ?? toExitError(running, { args, env, ownEnv, redact: receiver.redact });
    void Promise.resolve(reason).then(receiver.end);
  };
  void whenLastOutputRead(running).then(() => finish());
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
