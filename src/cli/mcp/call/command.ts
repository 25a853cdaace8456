import { AppError } from '../../../base/errors.ts';
import type { Progress } from '../../../upstream/connection/own-request.ts';
import { STARTUP_TIMEOUT_MS } from '../../../upstream/limits.ts';
import { isObject, RawJson } from '../../../wire/messages.ts';
import type { CommandContext } from '../../command-context.ts';
import { type Interrupt, listenForInterrupt } from '../../terminal/interrupt.ts';
import { type LiveWaitOptions, withLiveWait } from '../../terminal/live-wait.ts';
import { openProgressLine, type ProgressLine } from '../../terminal/progress-line.ts';
import {
  type ConnectToServerOptions,
  connectToServer,
  type ReachedServer,
  withFailureContext,
} from '../servers/reach-server.ts';
import { callError, interruptedStart } from './call-errors.ts';
import { parseExact, stringifyExact } from './exact-json.ts';
import { findTool, prepareArguments } from './find-tool.ts';
import { type CallDisplay, type CallRequest, type CallTarget, parseCallArguments } from './parse-call-arguments.ts';
import { printResult } from './print-result.ts';
import { createServerLog } from './server-log.ts';
import { createServerRequestHandler, type ServerRequestHandler } from './server-requests.ts';

/** Runs `switchboard mcp call <server>.<tool> key=value …`: calls one tool and prints its result. */
export async function mcpCall(args: readonly string[], context: CommandContext): Promise<void> {
  const request = await parseCallArguments(args, context);
  const interruption = listenForInterrupt();
  try {
    await call(request, interruption, context);
  } finally {
    interruption.close();
  }
}

async function call(request: CallRequest, interruption: Interrupt, context: CommandContext): Promise<void> {
  const { target, timeoutMs, display } = request;
  const { entry } = target;
  const { signal } = interruption;
  // `--timeout` limits the tool: a server that has to start first still gets enough time to start.
  const readyTimeoutMs = timeoutMs === undefined ? undefined : Math.max(timeoutMs, MIN_READY_MS);
  const notes: string[] = [];
  let stderrTail: () => readonly string[] = () => [];
  const line = openProgressLine(progressKind(display));
  // With --json, stderr is for errors only.
  const print = display.isJson ? (text: string) => void (notes.length < MAX_NOTES && notes.push(text)) : line.print;
  const isQuiet = display.isPlain && !display.isVerbose;
  const serverLog = createServerLog(entry.id, {
    print: isQuiet ? () => {} : print,
    now: () => performance.now(),
    isVerbose: display.isVerbose,
  });
  const serverRequests = createServerRequestHandler({
    server: entry.id,
    line,
    log: serverLog,
    isJson: display.isJson,
  });
  const reachOptions: ConnectToServerOptions = {
    signal,
    isDirect: request.isDirect,
    startupTimeoutMs: readyTimeoutMs,
    capabilities: serverRequests.capabilities,
    // A gateway whose client cannot elicit could not ask this person.
    needsPerson: serverRequests.capabilities['elicitation'] !== undefined,
    onRequest: serverRequests.handle,
    onNotification: serverLog.notify,
    onOutput(tail) {
      stderrTail = tail;
    },
  };
  const wait = {
    subject: entry.id,
    limitMs: readyTimeoutMs ?? entry.startupTimeoutMs ?? STARTUP_TIMEOUT_MS,
    stderrTail: () => stderrTail(),
    line: progressKind(display) === 'terminal' ? line : undefined,
  };
  const reach = () => withFailureContext(entry, () => connectToServer(entry, context, reachOptions));
  const server = await withLiveWait(wait, reach).catch((error) => {
    throw signal.aborted ? interruptedStart(entry, error, stderrTail()) : error;
  });
  try {
    const found = await interruption.throwIfInterrupted(findTool(server, target, readyTimeoutMs));
    const prepared = await prepareArguments(request, found);
    for (const note of isQuiet ? [] : prepared.notes) print(note);
    const result = await callTool(server, {
      target,
      timeoutMs,
      arguments: prepared.arguments,
      isIdempotent: found.isSafeToRepeat,
      signal,
      serverRequests,
      line,
      print,
      wait,
    });
    const via = server.gatewayPid === undefined ? 'direct' : 'gateway';
    serverRequests.close();
    serverLog.close();
    line.close();
    await printResult(result, { request, notes, via }, context);
  } finally {
    serverRequests.close();
    line.close();
    await server.close();
  }
}

const MAX_NOTES = 1_000;
const MIN_READY_MS = 10_000;

function progressKind({ isJson, isVerbose }: CallDisplay): 'terminal' | 'plain' | 'none' {
  if (isJson) return 'none';
  if (process.stderr.isTTY) return 'terminal';
  return isVerbose ? 'plain' : 'none';
}

interface ToolCall {
  readonly target: CallTarget;
  /** Undefined uses the entry's timeout or the default. */
  readonly timeoutMs: number | undefined;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly isIdempotent: boolean;
  readonly signal: AbortSignal;
  readonly serverRequests: ServerRequestHandler;
  readonly line: ProgressLine;
  /** What a person sees while the tool reports no progress. */
  readonly wait: Omit<LiveWaitOptions, 'limitMs'>;
  print(line: string): void;
}

type Result = Readonly<Record<string, unknown>>;

/** Default time limit without a response or progress. */
const CALL_TIMEOUT_MS = 30_000;

/** Calls the tool. The timeout restarts with every progress notification and pauses while a prompt is open. */
async function callTool(server: ReachedServer, call: ToolCall): Promise<Result> {
  const { target, signal, print } = call;
  const timeoutMs = call.timeoutMs ?? target.entry.requestTimeoutMs ?? CALL_TIMEOUT_MS;
  const params = new RawJson(stringifyExact({ name: target.tool, arguments: call.arguments }));
  let hasProgress = false;
  const options = {
    timeoutMs,
    signal,
    isIdempotent: call.isIdempotent,
    isDeadlinePaused: call.serverRequests.isPrompting,
    onProgress(progress: Progress) {
      // Otherwise its first update could be too soon after the line that it replaces.
      if (!hasProgress) call.line.close();
      hasProgress = true;
      call.line.update(progress);
    },
    parse: parseExact,
  };
  const isOver = () => hasProgress || call.serverRequests.isPrompting();
  const wait = { ...call.wait, subject: `${target.entry.id}.${target.tool}`, limitMs: timeoutMs, isOver };
  try {
    const result = await withLiveWait(wait, () => server.request('tools/call', params, options));
    if (isObject(result)) return result;
    throw new AppError('BAD_ANSWER', 'the server sent a result that is not an object.');
  } catch (error) {
    throw await callError(error, { server, target, timeoutMs, isCancelled: signal.aborted, print });
  }
}
