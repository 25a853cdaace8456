import { AppError, isAppError } from '../../base/errors.ts';
import type { ToolContext } from '../../serve/context.ts';
import type { JsonObject } from '../../wire/messages.ts';
import { assertSessionAllowed } from '../limits/session-access.ts';
import type { SettingsOrigin } from '../limits/turn-permissions.ts';
import type { ServerContext } from '../server-context.ts';
import type { Session } from '../sessions/session.ts';
import type { Turn } from '../sessions/turn.ts';
import type { TurnCaller } from '../sessions/turn-caller.ts';
import { waitForSessions } from '../sessions/wait-for-sessions.ts';
import { checkFolder, checkImages } from '../settings/check-paths.ts';
import { type RestoredSettings, restoreSettings, saveSettings } from '../settings/restored-settings.ts';
import { checkStart, checkText, settingsOrigin } from '../settings/start-settings.ts';
import { toTurnCaller } from '../tools/turn-call.ts';
import { type CodexArguments, type ReplyArguments, threadIdOf, toStartArguments } from './arguments.ts';
import { type CallEvents, type EventRouter, NO_EVENTS } from './events/event-router.ts';
import { createCompatPrompter } from './prompter.ts';
import { type CompatResult, failure, toResult } from './result.ts';

export interface CompatDependencies {
  readonly serverContext: ServerContext;
  readonly eventRouter: EventRouter | undefined;
  /** Whether the server also has `codex_respond`. */
  readonly hasRespondTool: boolean;
}

/** Runs the tool `codex`: starts a session and waits until its first turn is over. */
export async function runCodex(
  args: JsonObject,
  context: ToolContext,
  dependencies: CompatDependencies,
): Promise<CompatResult> {
  // The server has validated the arguments against the input schema.
  const given = args as unknown as CodexArguments;
  const { serverContext, eventRouter } = dependencies;
  const call = await createCall(context, dependencies, { isNew: true, origin: settingsOrigin(given) });
  return runTurn(call, async () => {
    const cwd = await checkFolder(given.cwd ?? '.', 'cwd', serverContext);
    const { settings, input, warnings } = await checkStart(toStartArguments(given, cwd), serverContext);
    call.warnings.push(...warnings);
    const rawEvents = eventRouter === undefined ? {} : { rawEvents: true };
    const { sessions } = serverContext;
    const session = await sessions.start({ ...settings, ...rawEvents }, {}, input, call.caller);
    call.warnings.push(...(await saveSettings(session, toStartArguments(given, cwd), settings, serverContext)));
    const { approvals: approvalsUnsupported } = sessions.engine.unsupported;
    if (approvalsUnsupported !== undefined && settings.approvalPolicy !== 'never')
      call.warnings.push(approvalsUnsupported);
  });
}

/** Runs the tool `codex-reply`: one more turn of any session, including stored ones. */
export async function runReply(
  args: JsonObject,
  context: ToolContext,
  dependencies: CompatDependencies,
): Promise<CompatResult> {
  // The server has validated the arguments against the input schema.
  const given = args as unknown as ReplyArguments;
  const { sessions } = dependencies.serverContext;
  const threadId = threadIdOf(given);
  if (threadId === undefined)
    return failure('Failed to parse thread_id: either threadId or conversationId must be provided');
  const known = sessions.registry.find(threadId);
  let restored: RestoredSettings;
  try {
    await assertSessionAllowed(dependencies.serverContext, threadId);
    restored = await restoreSettings(threadId, dependencies.serverContext);
  } catch (error) {
    if (!isAppError(error)) throw error;
    return failure(toLegacyMessage(error, threadId), threadId);
  }
  const call = await createCall(context, dependencies, { isNew: known === undefined, origin: restored.origin });
  return runTurn(
    call,
    async () => {
      const text = checkText(given.prompt, 'prompt');
      const images = await checkImages(
        given.images ?? [],
        known?.opened.cwd || dependencies.serverContext.cwd,
        dependencies.serverContext,
      );
      await sessions.say(
        threadId,
        {},
        { text, images },
        {
          ...call.caller,
          ...restored,
          onBusy: 'error',
          onConflict: 'error',
        },
      );
    },
    threadId,
  );
}

/** One tool call, with its turn and its events as soon as they are known. */
interface Call {
  readonly context: ToolContext;
  readonly serverContext: ServerContext;
  readonly caller: TurnCaller;
  /** Warnings for the result. */
  readonly warnings: string[];
  turn: { readonly session: Session; readonly turn: Turn; readonly events: CallEvents } | undefined;
}

async function createCall(
  context: ToolContext,
  { serverContext, eventRouter, hasRespondTool }: CompatDependencies,
  { isNew, origin }: { readonly isNew: boolean; readonly origin: SettingsOrigin },
): Promise<Call> {
  const { client, requestId } = context;
  const onSession = (session: Session) => {
    const { turn } = session;
    if (turn === undefined) return;
    const notify = (params: JsonObject) => client.notify('codex/event', params, requestId);
    const events = eventRouter?.subscribe(session, { requestId, isNew, notify }) ?? NO_EVENTS;
    const warn = (text: string) => {
      if (!call.warnings.includes(text)) call.warnings.push(text);
      events.send(turn.id ?? '', { type: 'warning', message: text });
    };
    session.prompter = createCompatPrompter(client, {
      threadId: session.id,
      requestId,
      hasRespondTool,
      elicitInCall: caller.canPromptInCalls === true ? context.elicit : undefined,
      events,
      warn,
    });
    call.turn = { session, turn, events };
  };
  const caller = {
    ...(await toTurnCaller(context, serverContext, origin)),
    prompter: undefined,
    onSession,
  };
  const call: Call = { context, serverContext, caller, warnings: [], turn: undefined };
  return call;
}

/** Runs a turn and returns its end as a result. Interrupts the turn if the caller stops waiting. */
async function runTurn(call: Call, begin: () => Promise<void>, threadId?: string): Promise<CompatResult> {
  const { sessions } = call.serverContext;
  try {
    await begin();
    const { session, turn, events } = startedTurn(call);
    await waitForTurnEnd(call, session, turn);
    events.stop();
    return toResult(session.id, turn, call.warnings);
  } catch (error) {
    await interrupt(call);
    // Keep the events after a cancellation: the client still gets the end of commands that are being stopped.
    if (call.context.signal.aborted) throw error;
    call.turn?.events.stop();
    if (!isAppError(error)) throw error;
    return failure(
      toLegacyMessage(error, threadId),
      threadId ?? sessions.registry.find(call.turn?.session.id ?? '')?.id,
    );
  }
}

/** Interrupts the turn, because no caller waits for it any more. */
async function interrupt({ turn: current, serverContext }: Call): Promise<void> {
  if (current === undefined || current.turn.end !== undefined) return;
  const { session, turn } = current;
  if (session.isRunning && session.turn === turn) await serverContext.sessions.interrupt(session.id);
}

function startedTurn({ turn }: Call): NonNullable<Call['turn']> {
  if (turn === undefined) throw new AppError('INTERNAL', 'Codex started a turn without a session.');
  return turn;
}

/** Close to the longest delay that a timer supports: the tools of the drop-in wait without a limit. */
const MAX_WAIT_SECONDS = 2_000_000;

async function waitForTurnEnd({ context, serverContext }: Call, session: Session, turn: Turn): Promise<void> {
  const unlimitedContext = { ...serverContext, maxWaitMs: () => Number.POSITIVE_INFINITY };
  const isOver = () => turn.end !== undefined;
  while (!isOver())
    await waitForSessions({
      sessions: [session],
      isOver,
      seconds: MAX_WAIT_SECONDS,
      context,
      serverContext: unlimitedContext,
    });
}

/** Removes advice about tools and arguments that the drop-in does not have. */
function toLegacyMessage({ code, message, data }: AppError, threadId: string | undefined): string {
  if (threadId === undefined) return message;
  if (code === 'SESSION_NOT_FOUND') return `Session not found for thread_id: ${threadId}`;
  if (code === 'BUSY' && data?.['sessionId'] === threadId)
    return `The session ${threadId} is busy with a turn. Wait for its result, or cancel that call.`;
  if (code !== 'SESSION_HELD') return message;
  return `The session ${threadId} is open in another Codex, probably a terminal or an editor, and only one Codex can write to it. Close it there first.`;
}
