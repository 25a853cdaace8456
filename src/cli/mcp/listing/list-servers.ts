import { AppError, type ErrorCode, toAppError } from '../../../base/errors.ts';
import { mapLimited } from '../../../base/map-limited.ts';
import type { Redact } from '../../../base/redaction/redact.ts';
import { createEntryRedactor } from '../../../config/secrets/config-redactor.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';
import type { Definition } from '../../../schema/definitions/definition.ts';
import type { DefinitionKind } from '../../../schema/definitions/definition-kinds.ts';
import { type DefinitionList, readDefinitionList } from '../../../schema/definitions/definition-list.ts';
import { isUnknownMethod, toListError } from '../../../upstream/catalog/fetch-list.ts';
import { isObject } from '../../../wire/messages.ts';
import { type CommandContext, environmentOf } from '../../command-context.ts';
import { withWaitingNotice } from '../../terminal/waiting-notice.ts';
import { loadHeldBack } from '../servers/held-back.ts';
import { connectToServer, type ReachedServer } from '../servers/reach-server.ts';
import { CODEX_CAPABILITIES, NO_CAPABILITIES, openServerCache } from '../servers/server-cache.ts';

/** One server's list of one kind. */
export interface ServerList {
  readonly entry: ServerEntry;
  /** Whether the server declares the capability. */
  readonly isOffered: boolean;
  readonly items: readonly Definition[];
  /** Definitions that cannot be offered to any client. */
  readonly leftOut: DefinitionList['quarantined'];
  /** Tools of a pinned server that are new or have changed since they were trusted. */
  readonly heldBack: DefinitionList['quarantined'];
  /** Masks the server's secrets in the displayed list. */
  readonly mask: Redact;
  /** Why the list is empty or incomplete. */
  readonly failure: AppError | undefined;
}

export interface RequestOptions {
  readonly context: CommandContext;
  /** Uses a cached list instead of querying the server, and skips a server whose cached failure is a timeout. */
  readonly prefersCache?: boolean;
  readonly isDirect: boolean;
  /** Limit for startup and for each response. Undefined uses the entry's timeouts or the default. */
  readonly timeoutMs: number | undefined;
  /** Also reports servers that are skipped because they are disabled. */
  readonly isVerbose?: boolean;
  /** Called with the pending servers when the query takes long. */
  readonly notify?: ((text: string) => void) | undefined;
}

/** Queries all servers, a few at a time; results are in the order of `entries`. Never throws for a server's fault. */
export async function listFromAll(
  kind: DefinitionKind,
  entries: readonly ServerEntry[],
  options: RequestOptions,
): Promise<readonly ServerList[]> {
  const answered = new Set<ServerEntry>();
  const pending = () => entries.filter((entry) => !answered.has(entry)).map(({ id }) => id);
  const request = async (entry: ServerEntry) => {
    const list = await listOne(kind, entry, options);
    answered.add(entry);
    return list;
  };
  return withWaitingNotice(pending, options.notify, () => mapLimited(entries, MAX_AT_ONCE, request));
}

const MAX_AT_ONCE = 8;
/** Short, because one hanging server should not delay the list by a minute. */
const LIST_TIMEOUT_MS = 10_000;

async function listOne(kind: DefinitionKind, entry: ServerEntry, options: RequestOptions): Promise<ServerList> {
  const cached =
    options.prefersCache === true
      ? ((await readCachedList(kind, entry, options.context)) ?? readCachedTimeout(entry, options.context))
      : undefined;
  if (cached !== undefined) return cached;
  const startMs = options.timeoutMs ?? entry.startupTimeoutMs ?? LIST_TIMEOUT_MS;
  const answerMs = options.timeoutMs ?? entry.requestTimeoutMs ?? LIST_TIMEOUT_MS;
  try {
    const serverOptions = { ...options, timeoutMs: startMs, notify: undefined };
    return await withServer(entry, serverOptions, (server) => listFrom(kind, { server, entry }, answerMs));
  } catch (error) {
    return failedList(entry, toAppError(error));
  }
}

function failedList(entry: ServerEntry, failure: AppError): ServerList {
  return { ...emptyList(entry), failure };
}

async function readCachedList(
  kind: DefinitionKind,
  entry: ServerEntry,
  context: CommandContext,
): Promise<ServerList | undefined> {
  const clients = [ELICITATION_CAPABILITIES, CODEX_CAPABILITIES, NO_CAPABILITIES];
  const pages = openServerCache(context).readCatalog(entry, clients)?.lists[kind];
  if (pages === undefined) return undefined;
  const list = readDefinitionList(kind, pages);
  const heldBack = await loadHeldBack(entry, environmentOf(context));
  const { items, held } = splitQuarantined(kind, list, heldBack(list));
  const mask = createEntryRedactor(environmentOf(context), entry).redactTokens;
  return { entry, isOffered: true, items, leftOut: list.quarantined, heldBack: held, mask, failure: undefined };
}

/** Only timeouts are skipped: querying a server that failed otherwise is fast and shows whether it still fails. */
const TIMEOUT_CODES: readonly ErrorCode[] = ['TIMED_OUT', 'START_FAILED'];

function readCachedTimeout(entry: ServerEntry, context: CommandContext): ServerList | undefined {
  const failure = openServerCache(context).readFailure(entry);
  if (failure === undefined || !TIMEOUT_CODES.includes(failure.code)) return undefined;
  const why = `${failure.message}${/[.!?…]$/.test(failure.message) ? '' : '.'}`;
  const message = `skipped because its last start failed: ${why} To query it, use --direct`;
  return failedList(entry, new AppError('START_FAILED', message));
}

/** Opens a connection for the duration of `use`. */
export async function withServer<Result>(
  entry: ServerEntry,
  { context, isDirect, timeoutMs, notify }: RequestOptions,
  use: (server: ReachedServer) => Promise<Result>,
): Promise<Result> {
  const reachOptions = {
    isDirect,
    startupTimeoutMs: timeoutMs,
    capabilities: ELICITATION_CAPABILITIES,
    onRequest: declineRequest,
  };
  const server = await withWaitingNotice(
    () => [entry.id],
    notify,
    () => connectToServer(entry, context, reachOptions),
  );
  try {
    return await use(server);
  } finally {
    await server.close();
  }
}

/** Some servers list a tool only for clients with elicitation. Listing should show it, but declines all requests. */
const ELICITATION_CAPABILITIES = { elicitation: { form: {}, url: {} } };

function declineRequest(method: string): unknown {
  if (method === 'elicitation/create') return { action: 'decline' };
  throw new AppError('METHOD_NOT_FOUND', `${method} is not supported here.`);
}

/** Throws the server's error. Returns an incomplete list together with the reason. */
export async function listFrom(
  kind: DefinitionKind,
  { server, entry }: { readonly server: ReachedServer; readonly entry: ServerEntry },
  timeoutMs?: number,
): Promise<ServerList> {
  if (!hasCapability(server, kind)) return emptyList(entry);
  try {
    const { pages, problem } = await server.list(kind, timeoutMs);
    const list = readDefinitionList(kind, pages);
    const { items, held } = splitQuarantined(kind, list, server.heldBack(list));
    const failure =
      problem === undefined ? undefined : new AppError('BAD_ANSWER', `its list of ${kind} has ${problem}.`);
    const mask = server.redactor.redactTokens;
    return { entry, isOffered: true, items, leftOut: list.quarantined, heldBack: held, mask, failure };
  } catch (error) {
    if (kind !== 'tools' && isUnknownMethod(error)) return emptyList(entry);
    throw toListError(kind, error);
  }
}

function emptyList(entry: ServerEntry): ServerList {
  const mask = (text: string) => text;
  return { entry, isOffered: false, items: [], leftOut: [], heldBack: [], mask, failure: undefined };
}

type QuarantineReason = (tool: Definition) => string | undefined;

/** A pinned server offers only trusted tools, here as everywhere. */
function splitQuarantined(kind: DefinitionKind, list: DefinitionList, whyQuarantined: QuarantineReason) {
  if (kind !== 'tools') return { held: [], items: list.items };
  const held = list.items.flatMap((tool) => {
    const reason = whyQuarantined(tool);
    return reason === undefined ? [] : [{ name: tool.key, reason }];
  });
  const names = new Set(held.map(({ name }) => name));
  return { held, items: list.items.filter(({ key }) => !names.has(key)) };
}

export function hasCapability({ initializeResult }: ReachedServer, kind: DefinitionKind): boolean {
  return isObject(initializeResult.capabilities[kind === 'resourceTemplates' ? 'resources' : kind]);
}
