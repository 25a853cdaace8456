import { AppError, toAppError } from '../../base/errors.ts';
import { entryWarnings } from '../../config/entry/entry-warnings.ts';
import type { ServerEntry } from '../../config/server-entry.ts';
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
  /** Tools that cannot be offered to any client. */
  readonly unusable: readonly { readonly name: string; readonly reason: string }[];
  /** The last lines of the server's stderr. */
  readonly stderrTail: readonly string[];
  /** One sentence about text that the server printed on stdout; undefined if there is none. */
  readonly strayOutput: string | undefined;
  /** Catalog as sent by the server; undefined if the test failed. */
  readonly offered?: StoredCatalog | undefined;
}

export interface TestOptions extends Omit<ConnectOptions, 'onStep'> {
  /** The client for which tool schemas are linted. */
  readonly profile: ProfileName;
}

/** Runs the first steps of every client against a server, then stops it. Never throws for the server's faults. */
export async function testServer({ profile, ...options }: TestOptions): Promise<TestReport> {
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
  let server: ConnectedServer | undefined;
  let unusable: TestReport['unusable'] = [];
  try {
    server = await connectServer({
      ...options,
      onStep(step, what) {
        if (step === 'reached') done(what, isProgram ? 'initialize' : 'sign-in');
        if (step === 'known') done(what, 'initialize');
      },
    });
    // From here on, only closing the connection ends a request.
    options.signal?.addEventListener('abort', () => void server?.close(), { once: true });
    done(describeServer(server), 'tools');
    const pages = await listTools(server, options.startupTimeoutMs);
    if (pages === undefined) {
      done('it offers none', 'lists');
      await checkOtherLists(server, options.startupTimeoutMs);
      return { steps, failed: undefined, unusable, ...outputOf(server), offered: offeredBy(server, []) };
    }
    const { lintTools } = await linting;
    const { names, rewritten, repairs, ...linted } = lintTools(pages, profile);
    const count = names.length;
    const mask = server.redactor.redactTokens;
    unusable = linted.unusable.map(({ name, reason }) => ({ name: mask(name), reason: mask(reason) }));
    done(formatToolCount(names, options.entry), 'schemas', [
      ...entryWarnings(options.entry, names),
      ...repairs.map(mask),
    ]);
    const changed = rewritten === 0 ? 'all unchanged' : `${rewritten} of ${count} rewritten`;
    const left = unusable.length === 0 ? '' : `, ${unusable.length} left out`;
    const notes = unusable.map(({ name, reason }) => `left out: ${name}: ${reason}`);
    done(`for ${profile}: ${changed}${left}`, 'lists', notes);
    await checkOtherLists(server, options.startupTimeoutMs);
    return { steps, failed: undefined, unusable, ...outputOf(server), offered: offeredBy(server, pages) };
  } catch (error) {
    const failure = toAppError(error);
    const step = failure.code === 'SIGN_IN_NEEDED' ? 'sign-in' : current;
    return { steps, failed: { step, error: failure }, unusable, ...outputOf(server, failure) };
  } finally {
    await server?.close();
  }
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
async function checkOtherLists(server: ConnectedServer, timeoutMs: number | undefined): Promise<void> {
  const { capabilities } = server.initializeResult;
  for (const kind of ['prompts', 'resources'] as const)
    if (isObject(capabilities[kind])) await readList(server, kind, timeoutMs);
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
function formatToolCount(names: readonly string[], { tools }: ServerEntry): string {
  const offered = names.filter((name) => isToolEnabled(tools, name)).length;
  const hidden = names.length === offered ? '' : ` (${names.length - offered} hidden)`;
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
