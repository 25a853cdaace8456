import type { CommandContext } from '../../main.ts';
import { type Interruption, openInterruption } from '../../terminal/interrupt.ts';
import { createProgressLine } from '../../terminal/progress-line.ts';
import { tellWaiting } from '../../terminal/waiting-notice.ts';
import { type ReachOptions, reachServer } from '../servers/reach-server.ts';
import { asFailureOf } from '../servers/server-failure.ts';
import { callTool } from './call-tool.ts';
import { findTool, fitArguments } from './find-tool.ts';
import { type CallRequest, readCallRequest } from './parse-call-arguments.ts';
import { answerResult } from './print-result.ts';
import { createNotices } from './server-log.ts';
import { createQuestions } from './server-requests.ts';

/** `switchboard mcp call <server>.<tool> key=value …`: calls one tool, and prints what it answers. */
export async function mcpCall(args: readonly string[], context: CommandContext): Promise<void> {
  const request = await readCallRequest(args, context);
  const interruption = openInterruption();
  try {
    await call(request, interruption, context);
  } finally {
    interruption.close();
  }
}

async function call(request: CallRequest, interruption: Interruption, context: CommandContext): Promise<void> {
  const { entry, timeoutMs } = request;
  const { signal } = interruption;
  // Its time is the tool's: a server that has to start first is not given less than it takes.
  const readyTimeoutMs = timeoutMs === undefined ? undefined : Math.max(timeoutMs, LEAST_READY_MS);
  const notes: string[] = [];
  const line = openLine(request);
  // With --json stderr is for errors alone.
  const print = request.isJson ? (text: string) => void (notes.length < MAX_NOTES && notes.push(text)) : line.print;
  const notices = createNotices(entry.id, {
    print,
    now: () => performance.now(),
    isVerbose: request.isVerbose,
  });
  const questions = createQuestions({ server: entry.id, line, notices, isJson: request.isJson });
  const reaching: ReachOptions = {
    signal,
    isDirect: request.isDirect,
    startupTimeoutMs: readyTimeoutMs,
    capabilities: questions.capabilities,
    // Through a gateway whose client nobody can be asked by, nobody would be.
    needsPerson: questions.capabilities['elicitation'] !== undefined,
    onRequest: questions.answer,
    onNotification: notices.notify,
  };
  const tell = request.isJson || context.output.notice === undefined ? undefined : line.print;
  const reach = () => asFailureOf(entry, () => reachServer(entry, context, reaching));
  const server = await tellWaiting(() => [entry.id], tell, reach);
  try {
    const found = await interruption.orThrow(findTool(server, request, readyTimeoutMs));
    const fitted = await fitArguments(request, found);
    for (const note of fitted.notes) print(note);
    const result = await callTool(server, { request, arguments: fitted.arguments, signal, questions, line, print });
    const via = server.gatewayPid === undefined ? 'direct' : 'gateway';
    questions.close();
    notices.close();
    line.close();
    await answerResult(result, { request, notes, via }, context);
  } finally {
    questions.close();
    line.close();
    await server.close();
  }
}

const MAX_NOTES = 1_000;
const LEAST_READY_MS = 10_000;

function openLine({ isJson, isVerbose }: CallRequest) {
  const { stderr } = process;
  const kind = isJson ? 'none' : stderr.isTTY ? 'terminal' : isVerbose ? 'plain' : 'none';
  return createProgressLine({
    write: (text) => void stderr.write(text),
    kind,
    // Some terminals do not know, and say 0.
    columns: () => stderr.columns || 80,
    now: () => performance.now(),
  });
}
