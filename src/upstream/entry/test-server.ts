import { AppError, toAppError } from '../../base/errors.ts';
import { entryWarnings } from '../../config/entry/entry-warnings.ts';
import { isToolEnabled } from '../../config/tool-filter.ts';
import type { ProfileName } from '../../schema/profiles/profile.ts';
import { isObject } from '../../wire/messages.ts';
import { isUnknownMethod, toListError } from '../catalog/fetch-list.ts';
import { LIST_METHODS, type ListKind } from '../catalog/listing.ts';
import type { StoredCatalog } from '../catalog-cache/catalog-cache.ts';
import { type ConnectedServer, type ConnectOptions, connectServer } from './connect-server.ts';

/** One step of the test and its outcome. */
export interface TestStep {
  readonly name: 'config' | 'start' | 'connect' | 'sign-in' | 'initialize' | 'tools' | 'schemas' | 'lists';
  readonly ms: number;
  /** Short summary of the outcome. */
  readonly result: string;
  /** Warnings that are not failures. */
  readonly notes: readonly string[];
}

export interface TestReport {
  readonly steps: readonly TestStep[];
  /** The step that failed; undefined if all succeeded. */
  readonly failed: { readonly step: TestStep['name']; readonly error: AppError } | undefined;
  /** The number of tools that clients see. */
  readonly tools: number;
  /** How many tools are rewritten for the client, which would otherwise reject or ignore them. */
  readonly rewritten: number;
  /** Tools that cannot be offered to any client. */
  readonly unusable: readonly { readonly name: string; readonly reason: string }[];
  /** Warnings about the entry of a server that works. */
  readonly warnings: readonly string[];
  /** The last lines of the server's stderr. */
  readonly stderrTail: readonly string[];
  /** One sentence about text that the server printed on stdout; undefined if there is none. */
  readonly strayOutput: string | undefined;
  /** Catalog as sent by the server; undefined if the test failed. */
  readonly offered?: StoredCatalog | undefined;
}

export interface TestOptions extends Omit<ConnectOptions, 'onStep'> {
  /** The client for which tool schemas are linted. Needed only when the server has listed its tools. */
  readonly profile: ProfileName | Promise<ProfileName>;
  /** Limits the whole test. Without it, each step has its own timeout. */
  readonly deadlineMs?: number | undefined;
}

/** The result for a server that listed no tools. */
export const NO_TOOLS = { tools: 0, rewritten: 0, unusable: [], warnings: [] } as const;

/** Runs the first steps of every client against a server, then stops it. Never throws for the server's faults. */
export async function testServer({ deadlineMs, ...options }: TestOptions): Promise<TestReport> {
  const steps: TestStep[] = [];
  const isProgram = options.entry.transport.kind === 'stdio';
  let current: TestStep['name'] = isProgram ? 'start' : 'connect';
  let since = performance.now();
  const done = (result: string, next: TestStep['name'], notes: readonly string[] = []) => {
    steps.push({ name: current, ms: Math.round(performance.now() - since), result, notes });
    current = next;
    since = performance.now();
  };
  // Load the module while the server starts.
  const linting = import('../../schema/lint-tools.ts');
  const deadline = deadlineMs === undefined ? undefined : AbortSignal.timeout(deadlineMs);
  const endsAt = since + (deadlineMs ?? 0);
  const listMs = () => (deadlineMs === undefined ? options.startupTimeoutMs : Math.max(1, endsAt - performance.now()));
  let server: ConnectedServer | undefined;
  let found: Pick<TestReport, 'tools' | 'rewritten' | 'unusable' | 'warnings'> = NO_TOOLS;
  try {
    server = await connectServer({
      ...options,
      signal: anySignal(options.signal, deadline),
      onStep(step, what) {
        if (step === 'reached') done(what, isProgram ? 'initialize' : 'sign-in');
        if (step === 'known') done(what, 'initialize');
      },
    });
    // From here on, only closing the connection ends a request.
    options.signal?.addEventListener('abort', () => void server?.close(), { once: true });
    done(describeServer(server), 'tools');
    const pages = await listTools(server, listMs());
    if (pages === undefined) {
      done('it offers none', 'lists');
      await checkOtherLists(server, listMs);
      return { steps, failed: undefined, ...found, ...outputOf(server), offered: offeredBy(server, []) };
    }
    const [{ lintTools }, profile] = await Promise.all([linting, options.profile]);
    const { names, rewritten, repairs, ...linted } = lintTools(pages, profile);
    const count = names.length;
    const mask = server.redactor.redactTokens;
    const unusable = linted.unusable.map(({ name, reason }) => ({ name: mask(name), reason: mask(reason) }));
    const tools = names.filter((name) => isToolEnabled(options.entry.tools, name)).length;
    const warnings = entryWarnings(options.entry, names);
    found = { tools, rewritten, unusable, warnings };
    done(formatToolCount(tools, count), 'schemas', [...warnings, ...repairs.map(mask)]);
    const changed = rewritten === 0 ? 'all unchanged' : `${rewritten} of ${count} rewritten`;
    const left = unusable.length === 0 ? '' : `, ${unusable.length} left out`;
    const notes = unusable.map(({ name, reason }) => `left out: ${name}: ${reason}`);
    done(`for ${profile}: ${changed}${left}`, 'lists', notes);
    await checkOtherLists(server, listMs);
    return { steps, failed: undefined, ...found, ...outputOf(server), offered: offeredBy(server, pages) };
  } catch (error) {
    const failure = explainAbort(toAppError(error), { deadline, deadlineMs, signal: options.signal });
    const step = failure.code === 'SIGN_IN_NEEDED' ? 'sign-in' : current;
    return { steps, failed: { step, error: failure }, ...found, ...outputOf(server, failure) };
  } finally {
    await server?.close();
  }
}

function anySignal(...signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length === 0 ? undefined : AbortSignal.any(given);
}

interface AbortSources {
  readonly deadline: AbortSignal | undefined;
  readonly deadlineMs: number | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Replaces the error of a connection that we closed ourselves. */
function explainAbort(error: AppError, { deadline, deadlineMs, signal }: AbortSources): AppError {
  if (deadline?.aborted === true) return timedOut(error, deadlineMs);
  if (signal?.aborted !== true) return error;
  return new AppError('CANCELLED', 'Interrupted before it answered.', {
    ...(error.data === undefined ? {} : { data: error.data }),
  });
}

/** The connection was closed at the deadline, which is not the reason that a user needs to know. */
function timedOut({ code, message, data }: AppError, deadlineMs = 0): AppError {
  const text = code === 'TIMED_OUT' ? message : `No answer within ${deadlineMs / 1_000} s.`;
  return new AppError('TIMED_OUT', text, { ...(data === undefined ? {} : { data }) });
}

function offeredBy({ initializeResult }: ConnectedServer, tools: readonly Buffer[]): StoredCatalog {
  return { initializeResult: initializeResult.json, lists: { tools } };
}

/** Returns undefined if the server has no tools. */
async function listTools(
  server: ConnectedServer,
  timeoutMs: number | undefined,
): Promise<readonly Buffer[] | undefined> {
  if (!isObject(server.initializeResult.capabilities['tools'])) return undefined;
  return readList(server, 'tools', timeoutMs);
}

/**
 * Requests prompts and resources. Their contents are not checked, but a failing list makes the server degraded for
 * every client.
 */
async function checkOtherLists(server: ConnectedServer, timeoutMs: () => number | undefined): Promise<void> {
  const { capabilities } = server.initializeResult;
  for (const kind of ['prompts', 'resources'] as const)
    if (isObject(capabilities[kind])) await readList(server, kind, timeoutMs());
}

async function readList(
  server: ConnectedServer,
  kind: ListKind,
  timeoutMs: number | undefined,
): Promise<readonly Buffer[]> {
  try {
    const { pages, problem } = await server.list(kind, timeoutMs);
    if (problem === undefined) return pages;
    throw new AppError('BAD_ANSWER', `${LIST_METHODS[kind]}: the server sent ${problem}.`);
  } catch (error) {
    if (kind !== 'tools' && isUnknownMethod(error)) return [];
    throw toListError(kind, error);
  }
}

/** Counts tools as clients see them, without those that the config hides. */
function formatToolCount(offered: number, listed: number): string {
  const hidden = listed === offered ? '' : ` (${listed - offered} hidden)`;
  return `${offered} tool${offered === 1 ? '' : 's'}${hidden}`;
}

function describeServer({ initializeResult, redactor }: ConnectedServer): string {
  const { serverInfo, protocolVersion } = initializeResult;
  const name = isObject(serverInfo)
    ? [serverInfo['name'], serverInfo['version']].filter((part) => typeof part === 'string')
    : [];
  return `MCP ${protocolVersion}${name.length === 0 ? '' : `, ${redactor.redact(name.join(' '))}`}`;
}

/** Returns the output of the server. If it never started, its failure carries the output. */
function outputOf(
  server: ConnectedServer | undefined,
  failure?: AppError,
): Pick<TestReport, 'stderrTail' | 'strayOutput'> {
  if (server !== undefined) return { stderrTail: server.stderrTail(), strayOutput: server.strayOutput() };
  const { lastWords: stderrTail, strayOutput } = failure?.data ?? {};
  return {
    stderrTail: Array.isArray(stderrTail) ? stderrTail.map(String) : [],
    strayOutput: typeof strayOutput === 'string' ? strayOutput : undefined,
  };
}
