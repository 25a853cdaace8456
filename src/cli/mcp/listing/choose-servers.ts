import { AppError } from '../../../base/errors.ts';
import { visible } from '../../../base/text/visible-text.ts';
import { SWITCHED_OFF, switchedOffBy } from '../../../config/merge-files.ts';
import { toError } from '../../../config/problem.ts';
import type { ConfiguredServer, ServerEntry } from '../../../config/server-entry.ts';
import type { CommandContext } from '../../main.ts';
import { enableAdvice } from '../config/change-result.ts';
import { chooseFrom } from '../config/choose-entry.ts';
import { type Definitions, readDefinitions, surroundingsOf } from '../config/definitions.ts';
import { createServerMatch } from '../tools/match-server.ts';
import { createMatch } from '../tools/name-pattern.ts';

/** Which servers are asked, and why the others are not. */
export interface ServerChoice {
  readonly entries: readonly ServerEntry[];
  /** Off or untrusted: somebody wants it so, and it is no failure. */
  readonly skipped: readonly { readonly server: string; readonly reason: string }[];
  /** Those of them that a person should hear of: who wants one off knows it, and need not be told each time. */
  readonly told: ServerChoice['skipped'];
  /** What nobody can read may be what is looked for. */
  readonly broken: readonly { readonly server: string | undefined; readonly error: AppError }[];
  /** Nothing stands in any file. */
  readonly isEmpty: boolean;
}

interface Wish {
  readonly pattern?: string | undefined;
  /** Everything that is skipped is told. */
  readonly isVerbose?: boolean | undefined;
}

/** The one that is named, as `mcp test` takes it, or all that can be used and could have what the pattern fits. */
export async function chooseServers(
  id: string | undefined,
  context: CommandContext,
  { pattern, isVerbose = false }: Wish = {},
): Promise<ServerChoice> {
  const definitions = await readDefinitions(surroundingsOf(context));
  if (id === undefined) {
    const isMeant = pattern === undefined ? () => false : createMeaning(pattern, definitions);
    const among = pattern === undefined ? definitions : narrow(definitions, pattern);
    return chooseAll(among, (server) => isVerbose || isMeant(server));
  }
  const entry = await chooseFrom(definitions, { id, action: 'ask' });
  return { entries: [entry], skipped: [], told: [], broken: [], isEmpty: false };
}

function chooseAll(
  { servers, leftOut, files, problems }: Definitions,
  isOfInterest: (server: ConfiguredServer) => boolean,
): ServerChoice {
  const brokenFiles = files.filter(({ state }) => state === 'broken').map(({ file }) => file);
  const faults = problems.filter(({ file }) => brokenFiles.includes(file)).map((problem) => toError(problem));
  const broken = [
    ...faults.map((error) => ({ server: undefined, error })),
    ...servers.flatMap(brokenEntry),
    ...leftOut.map(({ id, problem }) => ({ server: id, error: toError(problem) })),
  ];
  const entries = servers.flatMap(({ verdict }) => (verdict.kind === 'usable' ? verdict.entry : []));
  const isTold = (server: ConfiguredServer) => !isMeantToBeOff(server) || isOfInterest(server);
  return {
    entries,
    skipped: servers.flatMap(skippedEntry),
    // Where nobody is asked, that is all there is to tell.
    told: servers.filter((server) => entries.length === 0 || isTold(server)).flatMap(skippedEntry),
    broken,
    isEmpty: servers.length === 0 && broken.length === 0,
  };
}

/** Whoever writes `github.*` means a server, and does not wait for the others. A pattern that names none may be of any. */
function narrow(definitions: Definitions, pattern: string): Definitions {
  const isNamed = createServerMatch(pattern);
  const servers = definitions.servers.filter(({ id }) => isNamed(id));
  return servers.length === 0 ? definitions : { ...definitions, servers, leftOut: [], files: [] };
}

/** Whether a pattern speaks of a server, with or without a dot behind its id. One that fits all of them speaks of none. */
function createMeaning(pattern: string, { servers }: Definitions): (server: ConfiguredServer) => boolean {
  const [isNamed, matches] = [createServerMatch(pattern), createMatch(pattern)];
  const isMeant = ({ id }: ConfiguredServer) => isNamed(id) || matches([id]);
  return servers.every(isMeant) ? () => false : isMeant;
}

/** By its file, or because it is ourselves: whoever lists tools has nothing to do about it. */
function isMeantToBeOff({ verdict }: ConfiguredServer): boolean {
  return verdict.kind === 'disabled' && !verdict.isUntrusted;
}

function isSwitchedOff({ verdict }: ConfiguredServer): boolean {
  return verdict.kind === 'disabled' && verdict.reason === SWITCHED_OFF;
}

function brokenEntry({ id, verdict }: ConfiguredServer): ServerChoice['broken'] {
  if (verdict.kind !== 'error') return [];
  return [{ server: id, error: new AppError('CONFIG_INVALID', visible(verdict.reason), { data: { server: id } }) }];
}

function skippedEntry(server: ConfiguredServer): ServerChoice['skipped'] {
  const { id, origin, verdict } = server;
  if (verdict.kind !== 'disabled') return [];
  // Any other reason names the command already, or nothing can be done.
  const off = `${switchedOffBy(origin)}. ${enableAdvice(server)}`;
  return [{ server: id, reason: isSwitchedOff(server) ? off : visible(verdict.reason) }];
}
