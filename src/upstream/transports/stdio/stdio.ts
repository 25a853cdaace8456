import { type AppError, toAppError } from '../../../base/errors.ts';
import { whenLastOutputRead } from '../../../base/process/drained.ts';
import type { Processes } from '../../../base/process/processes.ts';
import type { JsonObject } from '../../../wire/messages.ts';
import type { ByteBudget } from '../../../wire/stream/byte-budget.ts';
import type { Framing } from '../../../wire/stream/framing.ts';
import { type ChannelReceiver, openStreamChannel } from '../../../wire/stream/stream-channel.ts';
import { createPausable } from '../pausable.ts';
import type { OpenHints, TransportReceiver, UpstreamTransport } from '../transport.ts';
import { toExitError } from './exit-reason.ts';
import type { ModernStdio } from './modern-stdio.ts';
import { createNegotiation, type Initialize } from './negotiation.ts';

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

/**
 * Launches a server as a child process and connects to its stdin and stdout. Sends nothing before `initialize`, with
 * which the era is negotiated.
 */
export async function openStdio(
  server: StdioServer,
  { processes, unfinishedBytes, env: ownEnv }: StdioContext,
  receiver: TransportReceiver,
  hints: OpenHints = {},
): Promise<UpstreamTransport> {
  const { command, args, cwd, env, framing, maxMessageBytes, onStderrLine } = server;
  const running = await processes.spawn({ command, args, cwd, env, ...(onStderrLine ? { onStderrLine } : {}) });
  const where = `pid ${running.pid}`;
  const pausable = createPausable();
  let modern: ModernStdio | undefined;
  let isClosed = false;
  const input: ChannelReceiver = {
    frame: (frame) => negotiation.receive(frame),
    reportError: receiver.reportError,
    oversizedEnded: (ending) => receiver.oversizedEnded?.(ending),
    end: ({ failure }) => finish(failure),
  };
  const channel = openStreamChannel(
    {
      input: running.stdout,
      output: running.stdin,
      framing,
      unfinishedBytes,
      readsAlways: true,
      ...(maxMessageBytes === undefined ? {} : { maxMessageBytes }),
    },
    input,
  );
  const negotiation = createNegotiation({
    channel,
    receiver,
    isModernExpected: hints.isModernExpected === true,
    // Messages of legacy servers pass through nothing else from here on.
    onLegacy() {
      input.frame = receiver.frame;
      transport.send = channel.send;
    },
    onModern: (discovered, initialize) => {
      const failed = (error: unknown) => receiver.requestFailed(initialize.request.id, toAppError(error));
      void switchToModern(discovered, initialize).catch(failed);
    },
  });
  const switchToModern = async (discovered: JsonObject, { message, request }: Initialize) => {
    // Loaded on first use: nearly all programs speak the legacy era.
    const { openModernStdio } = await import('./modern-stdio.ts');
    if (isClosed) return;
    modern = openModernStdio({ where, channel, receiver, pausable, discovered });
    input.frame = modern.receive;
    transport.send = modern.send;
    modern.send(message, request);
  };
  const stderrTail = () => running.stderrTail().map(receiver.redact);
  let isFinished = false;
  const finish = (failure?: AppError) => {
    if (isFinished) return;
    isFinished = true;
    negotiation.end();
    const reason = failure ?? toExitError(running, { args, env, ownEnv, redact: receiver.redact });
    void Promise.resolve(reason).then(receiver.end);
  };
  void whenLastOutputRead(running).then(() => finish());
  const transport: UpstreamTransport = {
    ...channel,
    where,
    send: negotiation.send,
    forget: (id) => modern?.forget(id),
    pause() {
      pausable.pause();
      channel.pause();
    },
    resume() {
      pausable.resume();
      channel.resume();
    },
    stderrTail,
    hasStdout: true,
    async close() {
      isClosed = true;
      negotiation.close();
      modern?.close();
      channel.stop();
      await running.stop('closed');
    },
  };
  return transport;
}
