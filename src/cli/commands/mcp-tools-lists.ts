import { AppError, toAppError } from '../../base/errors.ts';
import { redactOfEntry } from '../../config/secrets.ts';
import type { ServerEntry } from '../../config/server-entry.ts';
import type { Definition } from '../../schema/definition.ts';
import type { DefinitionKind } from '../../schema/kinds.ts';
import { type DefinitionList, readList } from '../../schema/list.ts';
import { isObject } from '../../wire/messages.ts';
import type { CommandContext } from '../main.ts';
import { type ReachedServer, reachServer } from '../reach.ts';
import { tellWaiting } from './mcp-waiting.ts';

/** What one server lists of one kind. */
export interface ServerList {
  readonly entry: ServerEntry;
  /** Whether it says that it has such things at all. */
  readonly isOffered: boolean;
  readonly items: readonly Definition[];
  /** Definitions that no client can be offered. */
  readonly leftOut: DefinitionList['quarantined'];
  /** Why there is nothing, or not all of it. */
  readonly failure: AppError | undefined;
}

export interface AskOptions {
  readonly context: CommandContext;
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
  const lists: ServerList[] = [];
  const waiting = [...entries.entries()];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, entry] = next;
      lists[index] = await listOne(kind, entry, options);
    }
  };
  const late = () => entries.filter((_, index) => lists[index] === undefined).map(({ id }) => id);
  const atOnce = Math.min(MAX_AT_ONCE, entries.length);
  await tellWaiting(late, options.tell, () => Promise.all(Array.from({ length: atOnce }, work)));
  return lists;
}

const MAX_AT_ONCE = 8;
/** Whoever asks all of them should not wait a minute for one that hangs. */
const LIST_TIMEOUT_MS = 10_000;

async function listOne(kind: DefinitionKind, entry: ServerEntry, options: AskOptions): Promise<ServerList> {
  const startMs = options.timeoutMs ?? entry.startupTimeoutMs ?? LIST_TIMEOUT_MS;
  const answerMs = options.timeoutMs ?? entry.requestTimeoutMs ?? LIST_TIMEOUT_MS;
  try {
    const patience = { ...options, timeoutMs: startMs, tell: undefined };
    return await withServer(entry, patience, (server) => listOf(kind, { server, entry }, answerMs));
  } catch (error) {
    return { entry, isOffered: false, items: [], leftOut: [], failure: toAppError(error) };
  }
}

/** Lends a connection for as long as `use` takes. */
export async function withServer<Result>(
  entry: ServerEntry,
  { context, isDirect, timeoutMs, tell }: AskOptions,
  use: (server: ReachedServer) => Promise<Result>,
): Promise<Result> {
  const redact = redactOfEntry(context.env, entry);
  const reaching = { isDirect, startupTimeoutMs: timeoutMs, redact, capabilities: ASKABLE, onRequest: refuseQuestion };
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
  const nothing = { entry, isOffered: false, items: [], leftOut: [], failure: undefined };
  if (!offers(server, kind)) return nothing;
  try {
    const { pages, problem } = await server.list(kind, timeoutMs);
    const { items, quarantined } = readList(kind, pages);
    const failure =
      problem === undefined ? undefined : new AppError('BAD_ANSWER', `its list of ${kind} has ${problem}.`);
    return { entry, isOffered: true, items, leftOut: quarantined, failure };
  } catch (error) {
    // Resources without templates are declared in the same word as those with.
    const isUnknown = toAppError(error).data?.['rpcCode'] === METHOD_NOT_FOUND;
    if (kind === 'resourceTemplates' && isUnknown) return nothing;
    throw error;
  }
}

const METHOD_NOT_FOUND = -32601;

export function offers({ facts }: ReachedServer, kind: DefinitionKind): boolean {
  return isObject(facts.capabilities[kind === 'resourceTemplates' ? 'resources' : kind]);
}
