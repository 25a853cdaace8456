import { AppError } from '../../../base/errors.ts';
import { isObject } from '../../../wire/messages.ts';
import type { ProgressLine } from '../../terminal/progress-line.ts';
import type { ReachedServer } from '../servers/reach-server.ts';
import { callError } from './call-errors.ts';
import { stringifyExact } from './exact-json.ts';
import type { CallTarget } from './parse-call-arguments.ts';
import type { ServerRequestHandler } from './server-requests.ts';

interface ToolCall {
  readonly target: CallTarget;
  /** Undefined uses the entry's timeout or the default. */
  readonly timeoutMs: number | undefined;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly serverRequests: ServerRequestHandler;
  readonly line: ProgressLine;
  print(line: string): void;
}

type Result = Readonly<Record<string, unknown>>;

/** Default time limit without a response or progress. */
const CALL_TIMEOUT_MS = 30_000;

/** Calls the tool. The timeout restarts with every progress notification and pauses while a prompt is open. */
export async function callTool(server: ReachedServer, call: ToolCall): Promise<Result> {
  const { target, signal, print } = call;
  const timeoutMs = call.timeoutMs ?? target.entry.requestTimeoutMs ?? CALL_TIMEOUT_MS;
  try {
    const result = await server.request(
      'tools/call',
      stringifyExact({ name: target.tool, arguments: call.arguments }),
      {
        timeoutMs,
        signal,
        isHeld: call.serverRequests.isPrompting,
        onProgress: call.line.update,
      },
    );
    if (isObject(result)) return result;
    throw new AppError('BAD_ANSWER', 'the server sent a result that is not an object.');
  } catch (error) {
    throw await callError(error, { server, target, timeoutMs, isCancelled: signal.aborted, print });
  }
}
