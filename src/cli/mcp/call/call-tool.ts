import { AppError, toAppError } from '../../../base/errors.ts';
import { findErrorLine } from '../../../base/process/error-line.ts';
import { oneLine } from '../../../base/text/safe-text.ts';
import { escapeInvisible, quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { isObject } from '../../../wire/messages.ts';
import type { ProgressLine } from '../../terminal/progress-line.ts';
import type { ReachedServer } from '../servers/reach-server.ts';
import { toServerError, toServerFailure } from '../servers/server-failure.ts';
import { stringifyExact } from './exact-json.ts';
import type { CallRequest } from './parse-call-arguments.ts';
import type { ServerRequestHandler } from './server-requests.ts';

interface ToolCall {
  readonly request: CallRequest;
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
  const { entry, tool, timeoutMs = entry.requestTimeoutMs ?? CALL_TIMEOUT_MS } = call.request;
  try {
    const result = await server.request('tools/call', stringifyExact({ name: tool, arguments: call.arguments }), {
      timeoutMs,
      signal: call.signal,
      isDeadlinePaused: call.serverRequests.isPrompting,
      onProgress: call.line.update,
    });
    if (isObject(result)) return result;
    throw new AppError('BAD_ANSWER', 'the server sent a result that is not an object.');
  } catch (error) {
    if (call.signal.aborted) throw new AppError('CANCELLED', `${nameOf(call)} was cancelled.`, { cause: error });
    const failure = toAppError(error);
    throw failure.code === 'TIMED_OUT'
      ? timedOut(call, timeoutMs, failure)
      : await describeFailure(failure, server, call);
  }
}

function nameOf({ request: { entry, tool } }: ToolCall): string {
  return quoteIfNeeded(`${entry.id}.${tool}`);
}

function timedOut(call: ToolCall, ms: number, cause: AppError): AppError {
  const { entry, tool } = call.request;
  const message = `${nameOf(call)} did not answer within ${ms / 1_000} s, and was cancelled. --timeout allows more.`;
  return new AppError('TIMED_OUT', message, { cause, data: { server: entry.id, tool } });
}

/** Names the tool and server that failed; for a server that exited, adds the most relevant stderr line. */
async function describeFailure(error: AppError, server: ReachedServer, call: ToolCall): Promise<AppError> {
  const { code, message, data, cause } = error;
  const { entry, tool } = call.request;
  const stderrLine =
    code === 'PROCESS_EXITED' || code === 'CONNECTION_CLOSED' ? findErrorLine(server.stderrTail()) : undefined;
  const words =
    stderrLine === undefined || message.includes(stderrLine)
      ? ''
      : ` Its last words: ${oneLine(stderrLine, MAX_STDERR_LINE)}`;
  if (data?.['rpcCode'] === URL_ELICITATION_REQUIRED) await printUrls(data['rpcData'], call);
  const told = new AppError(code, `${oneLine(message, MAX_MESSAGE)}${words}`, { cause, data: { ...data, tool } });
  return toServerError(toServerFailure(entry, told), `${entry.id}.${tool}`);
}

const MAX_MESSAGE = 1_500;
const MAX_STDERR_LINE = 300;
/** The server requires a person to visit a URL first; the same call may succeed afterwards. */
const URL_ELICITATION_REQUIRED = -32042;
const MAX_URLS = 10;

async function printUrls(rpcData: unknown, { print, request }: ToolCall): Promise<void> {
  const listed = isObject(rpcData) && Array.isArray(rpcData['elicitations']) ? rpcData['elicitations'] : [];
  const { printUrl } = await import('../../elicitation/url.ts');
  for (const one of listed.slice(0, MAX_URLS).filter(isObject)) {
    const words = typeof one['message'] === 'string' ? `: ${escapeInvisible(oneLine(one['message'], 500))}` : '';
    print(
      `The server ${quoteIfNeeded(request.entry.id)} wants you to visit this address before you call again${words}`,
    );
    if (typeof one['url'] === 'string') printUrl(one['url'], { print });
  }
}
