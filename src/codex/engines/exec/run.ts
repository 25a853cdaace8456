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
  /** The prompt. It is written at once and stdin is closed, because Codex waits for the end of its input. */
  readonly stdin: string;
  /** Called for each event, never after `finished`. */
  readonly onEvent: (event: ExecEvent) => void;
  readonly warn: (text: string) => void;
}

/** One `codex exec`, from its start to the exit of every process that it started. */
export interface Run {
  /** Resolves when the process has exited, all its events are reported and nothing is left running. Never rejects. */
  readonly finished: Promise<ExecExit>;
  /** Returns the most relevant stderr line so far. */
  stderrLine(): string | undefined;
  /** Interrupts Codex like Ctrl-C. A Codex that does not react is stopped. Does not wait. */
  interrupt(): void;
  /** Stops Codex without an interrupt. */
  stop(reason: string): Promise<void>;
}

/** A line contains at most the output of one command, which Codex truncates itself. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** The time between the interrupt and the stop, which takes up to three seconds more. */
const INTERRUPT_GRACE_MS = 1_000;

/** How long stdout may take to end after every process that could write to it has exited. */
const DRAIN_MS = 500;

/** Stdin is already closed, so waiting for Codex to react to that is pointless. */
const DEADLINES = { eofMs: 0 };

/** The notice that Codex prints whenever stdin is not a terminal. */
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

/** Processes that Codex leaves running keep its stdout open. After `treeExited` they are gone, and the pipe ends. */
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
    // Do not log the line itself: it may be the output of a command.
    if (events === undefined) warn(`codex exec wrote a line that is not a JSON object (${text.length} characters)`);
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
