import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { findErrorLine } from '../../../base/process/error-line.ts';
import type { Processes } from '../../../base/process/processes.ts';
import { sendSignal } from '../../../base/process/signal.ts';
import type { SpawnedProcess } from '../../../base/process/spawn.ts';
import { frameText } from '../../../wire/frame.ts';
import { createLineSplitter } from '../../../wire/stream/ndjson.ts';
import { parseExecLine } from './protocol/events.ts';
import type { ExecEvent } from './protocol/exec-event.ts';
import type { ExecExit } from './protocol/turn-reader.ts';

interface RunOptions {
  readonly processes: Processes;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The prompt. It is written at once, and stdin ended: Codex waits for the end of it. */
  readonly stdin: string;
  /** Called for each event, never after `finished`. */
  readonly onEvent: (event: ExecEvent) => void;
  readonly warn: (text: string) => void;
}

/** One `codex exec`, from its start to the end of everything that it started. */
export interface Run {
  /** Settles when it is over, all its events were told and nothing is left running. Never rejects. */
  readonly finished: Promise<ExecExit>;
  /** The line of stderr that says most, so far. */
  stderrLine(): string | undefined;
  /** As a person would with Ctrl-C; a Codex that does not care is ended. Does not wait. */
  interrupt(): void;
  /** Ends it without asking. */
  stop(reason: string): Promise<void>;
}

/** A line of events holds at most the output of one command, which Codex cuts itself. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** From the interrupt until Codex is ended, which takes up to three seconds more. */
const INTERRUPT_GRACE_MS = 1_000;

/** How long the end of stdout may take when all who could write to it are gone. */
const DRAIN_MS = 500;

/** The end of stdin, which Codex has seen already, tells it nothing. */
const DEADLINES = { eofMs: 0 };

/** What Codex says to everybody whose stdin is not a terminal. */
const STDIN_NOTICE = /^Reading (?:additional input|prompt) from stdin/;

export async function startRun(options: RunOptions): Promise<Run> {
  const { command, args, env, cwd } = options;
  const codex = await options.processes.spawn({ command, args, env, cwd, deadlines: DEADLINES });
  codex.stdin.end(options.stdin);
  const drained = readEvents(codex.stdout, options);
  let wasInterrupted = false;

  const stderrLine = () => findErrorLine(codex.stderrTail().filter((line) => !STDIN_NOTICE.test(line)));

  function interrupt(): void {
    if (wasInterrupted) return;
    wasInterrupted = true;
    sendSignal(codex.pid, 'SIGINT');
    const timer = setTimeout(() => void codex.stop('interrupted'), INTERRUPT_GRACE_MS);
    void codex.exited.then(() => clearTimeout(timer));
  }

  async function stop(reason: string): Promise<void> {
    wasInterrupted = true;
    await codex.stop(reason);
  }

  const finished = finish(codex, drained).then((exit) => ({ ...exit, stderrLine: stderrLine(), wasInterrupted }));
  return { finished, stderrLine, interrupt, stop };
}

/** What Codex leaves running holds its stdout open: `gone` ends it, then the pipe ends too. */
async function finish(codex: SpawnedProcess, drained: Promise<void>): Promise<Pick<ExecExit, 'code' | 'signal'>> {
  const { code, signal } = await codex.exited;
  await codex.treeExited;
  await Promise.race([drained, delay(DRAIN_MS, undefined, { ref: false })]);
  codex.stdout.destroy();
  await drained;
  return { code, signal };
}

async function readEvents(stdout: Readable, { onEvent, warn }: RunOptions): Promise<void> {
  const readLine = (text: string): void => {
    const events = parseExecLine(text);
    // The line itself may be a command's output, and is not for a log.
    if (events === undefined) warn(`codex exec wrote a line that is no JSON object (${text.length} characters)`);
    for (const event of events ?? []) onEvent(event);
  };
  const lines = createLineSplitter(
    { frame: (frame) => readLine(frameText(frame)), reportError: (error) => warn(`codex exec: ${error.message}`) },
    { maxBytes: MAX_LINE_BYTES, budget: undefined },
  );
  stdout.on('data', (chunk: Buffer) => lines.push(chunk));
  await new Promise((resolve) => stdout.once('close', resolve));
  const rest = lines.end();
  if (rest !== undefined) readLine(frameText(rest));
}
