import { AppError, toAppError } from '../base/errors.ts';
import type { ProfileName } from '../schema/profiles/profile.ts';
import { isObject } from '../wire/messages.ts';
import { type ConnectedServer, type ConnectOptions, connectServer } from './connect.ts';

/** One thing that was tried, and how it went. */
export interface TestStep {
  readonly name: 'start' | 'connect' | 'sign-in' | 'initialize' | 'tools' | 'schemas';
  readonly ms: number;
  /** What came of it, in a few words. */
  readonly result: string;
  /** Worth knowing, and no failure. */
  readonly notes: readonly string[];
}

export interface TestReport {
  readonly steps: readonly TestStep[];
  /** The step that failed; undefined when all went well. */
  readonly failed: { readonly step: TestStep['name']; readonly error: AppError } | undefined;
  /** Tools that no client can be offered. */
  readonly unusable: readonly { readonly name: string; readonly reason: string }[];
  /** The last that the server said beside the protocol. */
  readonly lastWords: readonly string[];
}

export interface TestOptions extends Omit<ConnectOptions, 'onStep'> {
  /** The client for which the schemas of tools are looked at. */
  readonly profile: ProfileName;
}

/** Does with a server what every client does first, step by step, and ends it again. Never throws for the server's faults. */
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
  // Loaded while the server starts.
  const linting = import('./lint-tools.ts');
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
    done(describeServer(server), 'tools');
    const pages = await listTools(server, options.startupTimeoutMs);
    if (pages === undefined) {
      done('it offers none', 'schemas');
      return { steps, failed: undefined, unusable, lastWords: server.lastWords() };
    }
    const { lintTools } = await linting;
    const { count, rewritten, repairs, ...linted } = lintTools(pages, profile);
    unusable = linted.unusable;
    done(`${count} tool${count === 1 ? '' : 's'}`, 'schemas', repairs);
    const changed = rewritten === 0 ? 'all as they are' : `${rewritten} of ${count} rewritten`;
    const left = unusable.length === 0 ? '' : `, ${unusable.length} left out`;
    const notes = unusable.map(({ name, reason }) => `left out: ${name}: ${reason}`);
    done(`for ${profile}: ${changed}${left}`, 'schemas', notes);
    return { steps, failed: undefined, unusable, lastWords: server.lastWords() };
  } catch (error) {
    const failure = toAppError(error);
    const step = failure.code === 'SIGN_IN_NEEDED' ? 'sign-in' : current;
    return { steps, failed: { step, error: failure }, unusable, lastWords: lastWordsOf(failure, server) };
  } finally {
    await server?.close();
  }
}

/** Undefined when it has none to offer. */
async function listTools(
  server: ConnectedServer,
  timeoutMs: number | undefined,
): Promise<readonly Buffer[] | undefined> {
  if (!isObject(server.facts.capabilities['tools'])) return undefined;
  const { pages, problem } = await server.list('tools', timeoutMs);
  if (problem === undefined) return pages;
  throw new AppError('BAD_ANSWER', `tools/list: the server sent ${problem}.`);
}

function describeServer({ facts }: ConnectedServer): string {
  const { serverInfo, protocolVersion } = facts;
  const name = isObject(serverInfo)
    ? [serverInfo['name'], serverInfo['version']].filter((part) => typeof part === 'string')
    : [];
  return `MCP ${protocolVersion}${name.length === 0 ? '' : `, ${name.join(' ')}`}`;
}

/** Of a server that never came up they travel with its failure. */
function lastWordsOf({ data }: AppError, server: ConnectedServer | undefined): readonly string[] {
  if (server !== undefined) return server.lastWords();
  const words = data?.['lastWords'];
  return Array.isArray(words) ? words.map(String) : [];
}
