import { expandHome, resolvePath } from '../files/folders.ts';
import { isProjectLayer, projectFolder } from '../files/sources.ts';
import type { ServerEntry, StdioSettings } from '../server-entry.ts';
import { createExpander, invalidEntry } from './entry-expander.ts';
import { isolateNpm } from './npm-isolation.ts';
import { findPackageRunner, runsInUnknownFolder } from './package-runner.ts';
import { SAFE_PATH, takesModulesFromFolder } from './python-modules.ts';
import { buildServerEnvironment } from './server-environment.ts';

/** Everything needed to start a server, with all variables expanded. */
export interface ResolvedStdio {
  readonly command: string;
  readonly args: readonly string[];
  /** Absolute; undefined for our own working folder. */
  readonly cwd: string | undefined;
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly framing: StdioSettings['framing'];
}

export interface ResolveOptions {
  readonly home: string;
  readonly platform: NodeJS.Platform;
}

export interface StartOptions extends ResolveOptions {
  /** Working folder of the process that starts the server, which also runs here if its entry names no folder. */
  readonly cwd: string;
}

/** Resolves an entry. Called for each start, because variables may have changed. Throws if a variable is missing. */
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

/** The settings of the entry with variables expanded: the same server wherever and whenever it is started. */
export interface ResolvedProgram extends Omit<ResolvedStdio, 'env'> {
  /** Variables that the entry sets for its server. */
  readonly entryEnv: Readonly<Record<string, string>>;
  /** The entry's settings for inheriting our own environment. */
  readonly inheritance: Pick<StdioSettings, 'envVars' | 'inheritEnv'>;
}

export function resolveProgram(
  entry: ServerEntry,
  env: Readonly<Record<string, string | undefined>>,
  options: ResolveOptions,
): ResolvedProgram {
  const { transport } = entry;
  if (transport.kind !== 'stdio') throw invalidEntry(entry, 'is an HTTP server, so no program can be started for it');
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
 * Resolves `cwd` against the folder of the file, so that an entry means the same wherever switchboard starts. Without
 * `cwd`, the server of a project runs in the project: `./server.js` there is the file that was trusted.
 */
function workingFolder({ origin }: ServerEntry, cwd: string | undefined, options: ResolveOptions): string | undefined {
  const written = cwd ?? (isProjectLayer(origin) ? '.' : undefined);
  return written === undefined ? undefined : resolvePath(written, { ...options, cwd: projectFolder(origin) });
}
