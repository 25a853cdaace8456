import { AppError } from '../../../base/errors.ts';
import { escapeInvisible, quoteIfNeeded } from '../../../base/text/visible-text.ts';
import type { Definitions } from '../../../config/load-config.ts';
import { DISABLED_IN_FILE, disabledBy } from '../../../config/merge-files.ts';
import { toConfigError } from '../../../config/problem.ts';
import type { ConfiguredServer, ServerEntry } from '../../../config/server-entry.ts';
import { selectLimits } from '../../../config/views/select-view.ts';
import { createView, EVERYTHING, type View } from '../../../config/views/view.ts';
import { type CommandContext, environmentOf } from '../../command-context.ts';
import { chooseEntryFrom } from '../config/choose-entry.ts';
import { readDefinitions } from '../config/definitions.ts';
import { enableHint } from '../config/entry-errors.ts';
import { createServerNamePattern } from '../tools/match-server.ts';
import { createNamePattern } from '../tools/name-pattern.ts';

/** The servers to query, and why the others are not queried. */
export interface ServerChoice {
  readonly entries: readonly ServerEntry[];
  /** Disabled or untrusted on purpose, which is not a failure. */
  readonly skipped: readonly { readonly server: string; readonly reason: string }[];
  /** The skipped servers to report: a person who disabled a server needs no reminder each time. */
  readonly reported: ServerChoice['skipped'];
  /** Unreadable entries, which may be the ones that are wanted. */
  readonly broken: readonly { readonly server: string | undefined; readonly error: AppError }[];
  /** Whether no file defines anything. */
  readonly isEmpty: boolean;
  /** Which of their tools to show. */
  readonly view: View;
}

interface ChoiceOptions {
  readonly pattern?: string | undefined;
  /** Reports every skipped server. */
  readonly isVerbose?: boolean | undefined;
  /** The name of the only view to show. */
  readonly view?: string | undefined;
}

/** Returns the named server, as in `mcp test`, or all usable ones that could match the pattern. */
export async function chooseServers(
  id: string | undefined,
  context: CommandContext,
  { pattern, isVerbose = false, view: name }: ChoiceOptions = {},
): Promise<ServerChoice> {
  const all = await readDefinitions(environmentOf(context));
  const view = name === undefined ? EVERYTHING : createView(selectLimits(all, { view: name }));
  const definitions = { ...all, servers: all.servers.filter((server) => view.showsServer(server.id)) };
  if (id === undefined) {
    const isNamedByPattern = pattern === undefined ? () => false : createServerPattern(pattern, definitions);
    const candidates = pattern === undefined ? definitions : narrowToPattern(definitions, pattern);
    return { ...chooseAll(candidates, (server) => isVerbose || isNamedByPattern(server)), view };
  }
  const entry = await chooseEntryFrom(all, { id, action: 'ask' });
  if (!view.showsServer(id)) throw new AppError('NOT_IN_VIEW', `${quoteIfNeeded(id)} is not in the view ${name}.`);
  return { ...onlyServer(entry), view };
}

/** Chooses one server, configured or typed. */
export function onlyServer(entry: ServerEntry): ServerChoice {
  return { entries: [entry], skipped: [], reported: [], broken: [], isEmpty: false, view: EVERYTHING };
}

function chooseAll(
  { servers, skipped, files, problems }: Definitions,
  isOfInterest: (server: ConfiguredServer) => boolean,
): Omit<ServerChoice, 'view'> {
  const brokenFiles = files.filter(({ state }) => state === 'broken').map(({ file }) => file);
  const faults = problems.filter(({ file }) => brokenFiles.includes(file)).map((problem) => toConfigError(problem));
  const broken = [
    ...faults.map((error) => ({ server: undefined, error })),
    ...servers.flatMap(brokenEntry),
    ...skipped.map(({ id, problem }) => ({ server: id, error: toConfigError(problem) })),
  ];
  const entries = servers.flatMap(({ verdict }) => (verdict.kind === 'usable' ? verdict.entry : []));
  const isReported = (server: ConfiguredServer) => !isDisabledOnPurpose(server) || isOfInterest(server);
  return {
    entries,
    skipped: servers.flatMap(skippedEntry),
    // If no server is queried, the skipped ones are all there is to report.
    reported: servers.filter((server) => entries.length === 0 || isReported(server)).flatMap(skippedEntry),
    broken,
    isEmpty: servers.length === 0 && broken.length === 0,
  };
}

/**
 * `github.*` and `github` name a server, so the others are not queried. A pattern that names none may match any server.
 */
function narrowToPattern(definitions: Definitions, pattern: string): Definitions {
  const isExactId = definitions.servers.some(({ id }) => id === pattern);
  const isNamed = isExactId ? (id: string) => id === pattern : createServerNamePattern(pattern);
  const servers = definitions.servers.filter(({ id }) => isNamed(id));
  return servers.length === 0 ? definitions : { ...definitions, servers, skipped: [], files: [] };
}

/**
 * Returns whether a pattern names a server, with or without a dot after the id. A pattern that matches all servers
 * names none.
 */
function createServerPattern(pattern: string, { servers }: Definitions): (server: ConfiguredServer) => boolean {
  const [isNamed, matches] = [createServerNamePattern(pattern), createNamePattern(pattern)];
  const matchesTarget = ({ id }: ConfiguredServer) => isNamed(id) || matches([id]);
  return servers.every(matchesTarget) ? () => false : matchesTarget;
}

/** Disabled in its file, or because it is this program: a person who lists tools need not act. */
function isDisabledOnPurpose({ verdict }: ConfiguredServer): boolean {
  return verdict.kind === 'disabled' && !verdict.isUntrusted;
}

function isSwitchedOff({ verdict }: ConfiguredServer): boolean {
  return verdict.kind === 'disabled' && verdict.reason === DISABLED_IN_FILE;
}

function brokenEntry({ id, verdict }: ConfiguredServer): ServerChoice['broken'] {
  if (verdict.kind !== 'error') return [];
  return [
    { server: id, error: new AppError('CONFIG_INVALID', escapeInvisible(verdict.reason), { data: { server: id } }) },
  ];
}

function skippedEntry(server: ConfiguredServer): ServerChoice['skipped'] {
  const { id, origin, verdict } = server;
  if (verdict.kind !== 'disabled') return [];
  // Every other reason already names the command, or nothing can be done.
  const off = `${disabledBy(origin)}. ${enableHint(server)}`;
  return [{ server: id, reason: isSwitchedOff(server) ? off : escapeInvisible(verdict.reason) }];
}
