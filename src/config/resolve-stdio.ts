import { AppError } from '../base/errors.ts';
import { buildEnvironment, lookUpVariable } from './environment.ts';
import { expandVariables } from './expand.ts';
import { resolvePath } from './folders.ts';
import { place } from './problem.ts';
import type { ServerEntry, StdioSettings } from './server-entry.ts';
import { isOfProject, projectFolder } from './sources.ts';
import { visibleWord } from './visible-text.ts';

/** Everything that is needed to start a server; nothing is left to be put in or looked up. */
export interface ResolvedStdio {
  readonly command: string;
  readonly args: readonly string[];
  /** Absolute; undefined: where we are ourselves. */
  readonly cwd: string | undefined;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly framing: StdioSettings['framing'];
}

export interface ResolveOptions {
  readonly home: string;
  readonly platform: NodeJS.Platform;
}

/** Called each time the server is started: a variable may have been set meanwhile. Throws for one that is missing. */
export function resolveStdio(
  entry: ServerEntry,
  env: Readonly<Record<string, string | undefined>>,
  options: ResolveOptions,
): ResolvedStdio {
  const { given, asked, ...program } = resolveProgram(entry, env, options);
  return { ...program, env: buildEnvironment(asked, { env, given, platform: options.platform }) };
}

/** What the entry itself says, with its variables put in: the same server wherever and whenever it is started. */
export interface ResolvedProgram extends Omit<ResolvedStdio, 'env'> {
  /** Variables that it gives its server. */
  readonly given: Readonly<Record<string, string>>;
  /** What it wants of our own. */
  readonly asked: Pick<StdioSettings, 'envVars' | 'inheritEnv'>;
}

export function resolveProgram(
  entry: ServerEntry,
  env: Readonly<Record<string, string | undefined>>,
  options: ResolveOptions,
): ResolvedProgram {
  const { transport } = entry;
  if (transport.kind !== 'stdio') throw invalid(entry, 'is reached by a URL, and no program can be started for it');
  const expand = (text: string, key: string) =>
    entry.expandsVariables ? fillIn(text, key, { entry, env, options }) : text;
  const given = Object.entries(transport.env).map(([name, value]) => [name, expand(value, `env.${name}`)]);
  return {
    command: expand(transport.command, 'command'),
    args: transport.args.map((arg, index) => expand(arg, `args[${index}]`)),
    cwd: workingFolder(entry, transport.cwd === undefined ? undefined : expand(transport.cwd, 'cwd'), options),
    given: Object.fromEntries(given),
    asked: transport,
    framing: transport.framing,
  };
}

/**
 * Relative to the folder of the file, so that an entry means the same wherever we were started. Without one the server
 * of a project runs in the project: `./server.js` there is the file that was trusted.
 */
function workingFolder({ origin }: ServerEntry, cwd: string | undefined, options: ResolveOptions): string | undefined {
  const written = cwd ?? (isOfProject(origin) ? '.' : undefined);
  return written === undefined ? undefined : resolvePath(written, { ...options, cwd: projectFolder(origin) });
}

interface Surroundings {
  readonly entry: ServerEntry;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly options: ResolveOptions;
}

function fillIn(text: string, key: string, { entry, env, options }: Surroundings): string {
  const foreign = /\$\{(?:env|input):[^}]*\}/.exec(text)?.[0];
  if (foreign !== undefined)
    throw invalid(entry, `has ${foreign} in ${key}, which is the notation of another program: write \${NAME} instead`);
  return expandVariables(text, {
    lookup: (name) => lookUpVariable(env, name, options.platform),
    missing: (name) =>
      invalid(entry, `needs \${${name}} in ${key}, and ${name} is not set: set it, or write \${${name}:-default}`),
  });
}

function invalid({ id, origin }: ServerEntry, what: string): AppError {
  return new AppError('CONFIG_INVALID', `Server ${visibleWord(id)} ${what} (${place(origin.file, origin.line)}).`, {
    data: { server: id, file: origin.file, line: origin.line },
  });
}
