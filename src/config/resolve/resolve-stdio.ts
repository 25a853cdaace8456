import { expandHome, resolvePath } from '../files/folders.ts';
import { isProjectLayer, projectFolder } from '../files/sources.ts';
import type { ServerEntry, StdioSettings } from '../server-entry.ts';
import { createExpander, invalidEntry } from './entry-expander.ts';
import { isolateNpm } from './npm-isolation.ts';
import { findPackageRunner, runsInUnknownFolder } from './package-runner.ts';
import { SAFE_PATH, takesModulesFromFolder } from './python-modules.ts';
import { buildServerEnvironment } from './server-environment.ts';

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

export interface StartOptions extends ResolveOptions {
  /** The folder of whoever starts the server: it runs here when its entry names none. */
  readonly cwd: string;
}

/** Called each time the server is started: a variable may have been set meanwhile. Throws for one that is missing. */
export function resolveStdio(
  entry: ServerEntry,
  env: Readonly<Record<string, string | undefined>>,
  options: StartOptions,
): ResolvedStdio {
  const { entryEnv, inheritance, ...program } = resolveProgram(entry, env, options);
  const resolved = {
    ...program,
    env: buildServerEnvironment(inheritance, { env, given: entryEnv, platform: options.platform }),
  };
  if (!runsInUnknownFolder(entry, env)) return resolved;
  if (takesModulesFromFolder(program, options.platform)) return { ...resolved, env: { ...SAFE_PATH, ...resolved.env } };
  if (findPackageRunner(program, options.platform)?.canBeIsolated !== true) return resolved;
  const isolation = isolateNpm(options.cwd, { ...options, env });
  return { ...resolved, cwd: isolation.cwd, env: { ...resolved.env, ...isolation.env } };
}

/** What the entry itself says, with its variables put in: the same server wherever and whenever it is started. */
export interface ResolvedProgram extends Omit<ResolvedStdio, 'env'> {
  /** Variables that it gives its server. */
  readonly entryEnv: Readonly<Record<string, string>>;
  /** What it wants of our own. */
  readonly inheritance: Pick<StdioSettings, 'envVars' | 'inheritEnv'>;
}

export function resolveProgram(
  entry: ServerEntry,
  env: Readonly<Record<string, string | undefined>>,
  options: ResolveOptions,
): ResolvedProgram {
  const { transport } = entry;
  if (transport.kind !== 'stdio')
    throw invalidEntry(entry, 'is reached by a URL, and no program can be started for it');
  const expand = createExpander(entry, env, options.platform);
  const entryEnv = Object.entries(transport.env).map(([name, value]) => [name, expand(value, `env.${name}`)]);
  return {
    command: expandHome(expand(transport.command, 'command'), options),
    args: transport.args.map((arg, index) => expand(arg, `args[${index}]`)),
    cwd: workingFolder(entry, transport.cwd === undefined ? undefined : expand(transport.cwd, 'cwd'), options),
    entryEnv: Object.fromEntries(entryEnv),
    inheritance: transport,
    framing: transport.framing,
  };
}

/**
 * Relative to the folder of the file, so that an entry means the same wherever we were started. Without one the server
 * of a project runs in the project: `./server.js` there is the file that was trusted.
 */
function workingFolder({ origin }: ServerEntry, cwd: string | undefined, options: ResolveOptions): string | undefined {
  const written = cwd ?? (isProjectLayer(origin) ? '.' : undefined);
  return written === undefined ? undefined : resolvePath(written, { ...options, cwd: projectFolder(origin) });
}
