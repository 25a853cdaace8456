import { AppError, type ErrorCode, toAppError } from '../../../base/errors.ts';
import { mapLimited } from '../../../base/map-limited.ts';
import type { Redact } from '../../../base/redaction/redact.ts';
import { secretsOfEntry } from '../../../config/secrets/config-redactor.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';
import type { Definition } from '../../../schema/definitions/definition.ts';
import type { DefinitionKind } from '../../../schema/definitions/definition-kinds.ts';
import { type DefinitionList, readList } from '../../../schema/definitions/definition-list.ts';
import { isUnknownMethod, listFailure } from '../../../upstream/catalog/fetch-list.ts';
import { isObject } from '../../../wire/messages.ts';
import type { CommandContext } from '../../main.ts';
import { tellWaiting } from '../../terminal/waiting-notice.ts';
import { surroundingsOf } from '../config/definitions.ts';
import { findHeldBack } from '../servers/held-back.ts';
import { type ReachedServer, reachServer } from '../servers/reach-server.ts';
import { CODEX_CAPABILITIES, NO_CAPABILITIES, openServerMemory } from '../servers/server-cache.ts';

/** What one server lists of one kind. */
export interface ServerList {
  readonly entry: ServerEntry;
  /** Whether it says that it has such things at all. */
  readonly isOffered: boolean;
  readonly items: readonly Definition[];
  /** Definitions that no client can be offered. */
  readonly leftOut: DefinitionList['quarantined'];
  /** Tools of a pinned server that are new, or have changed since they were trusted. */
  readonly held: DefinitionList['quarantined'];
  /** Takes the secrets of the server out of what is shown of the list. */
  readonly mask: Redact;
  /** Why the list is empty or incomplete. */
  readonly failure: AppError | undefined;
}

export interface AskOptions {
  readonly context: CommandContext;
  /** What is remembered of a server counts, and the server is not asked; nor is one that is remembered as hanging. */
  readonly prefersCache?: boolean;
  readonly isDirect: boolean;
  /** For becoming ready, and for each answer. Undefined: what the entry says, or the usual. */
  readonly timeoutMs: number | undefined;
  /** Whoever is not asked is told, also those that are switched off. */
  readonly isVerbose?: boolean;
  /** Told whom everybody waits for, when it takes long. */
  readonly tell?: ((text: string) => void) | undefined;
}

/** Asks all of them, some at a time; each answer in the place of its server. Never throws for a server's faults. */
export async function listEach(
  kind: DefinitionKind,
  entries: readonly ServerEntry[],
  options: AskOptions,
): Promise<readonly ServerList[]> {
  const answered = new Set<ServerEntry>();
  const late = () => entries.filter((entry) => !answered.has(entry)).map(({ id }) => id);
  const ask = async (entry: ServerEntry) => {
    const list = await listOne(kind, entry, options);
    answered.add(entry);
    return list;
  };
  return tellWaiting(late, options.tell, () => mapLimited(entries, MAX_AT_ONCE, ask));
}

const MAX_AT_ONCE = 8;
/** Whoever asks all of them should not wait a minute for one that hangs. */
const LIST_TIMEOUT_MS = 10_000;

async function listOne(kind: DefinitionKind, entry: ServerEntry, options: AskOptions): Promise<ServerList> {
  const remembered =
    options.prefersCache === true
      ? ((await recallList(kind, entry, options.context)) ?? recallHang(entry, options.context))
      : undefined;
  if (remembered !== undefined) return remembered;
  const startMs = options.timeoutMs ?? entry.startupTimeoutMs ?? LIST_TIMEOUT_MS;
  const answerMs = options.timeoutMs ?? entry.requestTimeoutMs ?? LIST_TIMEOUT_MS;
  try {
    const patience = { ...options, timeoutMs: startMs, tell: undefined };
    return await withServer(entry, patience, (server) => listOf(kind, { server, entry }, answerMs));
  } catch (error) {
    return failedList(entry, toAppError(error));
  }
}

function failedList(entry: ServerEntry, failure: AppError): ServerList {
  return { ...nothingOf(entry), failure };
}

async function recallList(
  kind: DefinitionKind,
  entry: ServerEntry,
  context: CommandContext,
): Promise<ServerList | undefined> {
  const clients = [ASKABLE, CODEX_CAPABILITIES, NO_CAPABILITIES];
  const pages = openServerMemory(context).recall(entry, clients)?.lists[kind];
  if (pages === undefined) return undefined;
  const list = readList(kind, pages);
  const heldBack = await findHeldBack(entry, surroundingsOf(context));
  const { items, held } = withoutHeld(kind, list, heldBack(list));
  const mask = secretsOfEntry(context.env, entry).redactTokens;
  return { entry, isOffered: true, items, leftOut: list.quarantined, held, mask, failure: undefined };
}

/** To ask one that failed in another way takes no time, and tells whether it still does. */
const HANGS: readonly ErrorCode[] = ['TIMED_OUT', 'START_FAILED'];

function recallHang(entry: ServerEntry, context: CommandContext): ServerList | undefined {
  const failure = openServerMemory(context).recallFailure(entry);
  if (failure === undefined || !HANGS.includes(failure.code)) return undefined;
  const why = `${failure.message}${/[.!?…]$/.test(failure.message) ? '' : '.'}`;
  const message = `it was skipped because its last start failed: ${why} Use --direct to ask it`;
  return failedList(entry, new AppError('START_FAILED', message));
}

/** Lends a connection for as long as `use` takes. */
export async function withServer<Result>(
  entry: ServerEntry,
  { context, isDirect, timeoutMs, tell }: AskOptions,
  use: (server: ReachedServer) => Promise<Result>,
): Promise<Result> {
  const reaching = { isDirect, startupTimeoutMs: timeoutMs, capabilities: ASKABLE, onRequest: refuseQuestion };
  const server = await tellWaiting(
    () => [entry.id],
    tell,
    () => reachServer(entry, context, reaching),
  );
  try {
    return await use(server);
  } finally {
    await server.close();
  }
}

/** Some servers list a tool only for those who can be asked: whoever lists wants to see it, and is asked nothing. */
const ASKABLE = { elicitation: { form: {}, url: {} } };

function refuseQuestion(method: string): unknown {
  if (method === 'elicitation/create') return { action: 'decline' };
  throw new AppError('METHOD_NOT_FOUND', `${method} is not known here.`);
}

/** Throws what the server answers instead. A list that is not whole is given with the reason. */
export async function listOf(
  kind: DefinitionKind,
  { server, entry }: { readonly server: ReachedServer; readonly entry: ServerEntry },
  timeoutMs?: number,
): Promise<ServerList> {
  if (!offers(server, kind)) return nothingOf(entry);
  try {
    const { pages, problem } = await server.list(kind, timeoutMs);
    const list = readList(kind, pages);
    const { items, held } = withoutHeld(kind, list, server.heldBack(list));
    const failure =
      problem === undefined ? undefined : new AppError('BAD_ANSWER', `its list of ${kind} has ${problem}.`);
    const mask = server.redactor.redactTokens;
    return { entry, isOffered: true, items, leftOut: list.quarantined, held, mask, failure };
  } catch (error) {
    if (kind !== 'tools' && isUnknownMethod(error)) return nothingOf(entry);
    throw listFailure(kind, error);
  }
}

function nothingOf(entry: ServerEntry): ServerList {
  const mask = (text: string) => text;
  return { entry, isOffered: false, items: [], leftOut: [], held: [], mask, failure: undefined };
}

type WhyHeld = (tool: Definition) => string | undefined;

/** A pinned server offers what somebody has trusted, here as everywhere. */
function withoutHeld(kind: DefinitionKind, list: DefinitionList, whyHeld: WhyHeld) {
  if (kind !== 'tools') return { held: [], items: list.items };
  const held = list.items.flatMap((tool) => {
    const reason = whyHeld(tool);
    return reason === undefined ? [] : [{ name: tool.key, reason }];
  });
  const names = new Set(held.map(({ name }) => name));
  return { held, items: list.items.filter(({ key }) => !names.has(key)) };
}

export function offers({ facts }: ReachedServer, kind: DefinitionKind): boolean {
  return isObject(facts.capabilities[kind === 'resourceTemplates' ? 'resources' : kind]);
}
